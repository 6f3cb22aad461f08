"""Where a connection's credential comes from when it is not stored: `gh`."""
