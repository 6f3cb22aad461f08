"""Which adapter stands behind which port, the settings, the servers and the command line."""
