"""agentctl's server: it hosts instances of agents beside the work they do."""
