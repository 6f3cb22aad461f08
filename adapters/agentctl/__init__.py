"""agentctl: the server beside the agents, and the control plane's client of it."""
