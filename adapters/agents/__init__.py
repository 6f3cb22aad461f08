"""Which agents are installed on this machine."""
