"""Git as the control plane and agentctl run it."""
