"""The server of Kandev's tools that an agent starts: it carries bytes between stdio and a socket.

Started with `-I -S` from its compiled form, and imports hardly anything.
"""

import posix
import sys
from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket
from _thread import start_new_thread

_BLOCK = 65_536


def main(path: str) -> None:
    """Until the other side has ended. Raises `OSError`."""
    server = socket(AF_UNIX, SOCK_STREAM)
    server.connect(path)
    start_new_thread(ask, (server,))
    while answer := server.recv(_BLOCK):
        while answer:
            answer = answer[posix.write(1, answer) :]


def ask(server: socket) -> None:
    """Pass on what is asked; once the agent asks no more, say so."""
    try:
        while asked := posix.read(0, _BLOCK):
            server.sendall(asked)
        server.shutdown(SHUT_WR)
    except OSError:
        pass


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except OSError:
        sys.exit(1)
