"""The REST surface over a real store, door included."""
