"""Programs of this machine: started in a session of their own, and ended whole."""
