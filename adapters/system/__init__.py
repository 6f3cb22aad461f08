"""What the machine gives: time, names and randomness."""
