"""Bundles of a process, their jobs and what they hold."""
