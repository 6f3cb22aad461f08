"""The home of an installation: its directories, private files, lock and sockets."""
