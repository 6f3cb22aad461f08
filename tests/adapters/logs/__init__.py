"""Log sinks on real files and threads."""
