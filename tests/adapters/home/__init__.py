"""Homes on a real file system."""
