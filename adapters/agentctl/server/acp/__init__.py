"""The Agent Client Protocol, version 1, over the stdio of a process that we started."""
