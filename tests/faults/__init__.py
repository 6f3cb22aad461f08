"""Processes that are killed at a step of their own, and what is left of the system then."""
