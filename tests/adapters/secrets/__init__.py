"""Keys, sealed secrets and capabilities."""
