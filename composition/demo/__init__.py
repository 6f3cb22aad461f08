"""The demonstration: the product does its job on real parts, and is checked by looking."""
