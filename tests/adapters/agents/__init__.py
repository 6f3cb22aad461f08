"""Agents of this machine, found among real files."""
