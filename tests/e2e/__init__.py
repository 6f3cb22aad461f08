"""Whole processes: the command line, a server, agentctl, agents, git and a forge, all real."""
