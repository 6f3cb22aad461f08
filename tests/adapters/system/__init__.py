"""Clocks and names."""
