"""Secrets at rest, and the capabilities by which a lease is issued anew."""
