"""The processes that composition makes, from outside."""
