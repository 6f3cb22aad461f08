"""Tests, mirroring the floors."""
