"""Bundles of this process: their jobs, what they hold, and what is written to collect them."""
