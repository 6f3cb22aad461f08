"""Tests of the scripts that the Makefile calls."""
