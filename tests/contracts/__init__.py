"""One suite for each port, run over everything that stands behind it."""
