"""Tests of the adapters, each against the real thing."""
