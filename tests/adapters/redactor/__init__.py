"""The list of values that no sink shows."""
