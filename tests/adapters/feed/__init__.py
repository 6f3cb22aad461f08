"""Wake-ups on one loop."""
