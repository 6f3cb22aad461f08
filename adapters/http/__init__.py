"""The control plane's REST and event-stream surface."""
