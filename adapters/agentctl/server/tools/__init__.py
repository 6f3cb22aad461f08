"""The managed tools: POSIX sh that an agent finds first on its `PATH`, and where it is put."""
