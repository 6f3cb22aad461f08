"""What the pipelines need from the world, one capability a file."""
