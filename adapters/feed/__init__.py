"""Wake-ups inside one process."""
