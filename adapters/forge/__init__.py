"""A small Git forge over HTTPS on loopback, for the demonstration and for tests.

It is real where it matters: `git http-backend` behind Basic authentication and TLS, with a
certificate made on the spot.
"""
