"""What stands in for clocks, ids and other people's servers; never for our own code."""
