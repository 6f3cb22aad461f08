"""What `git credential-cache` does, for a git that was built without it. Started with `-I -S`."""

import _socket
import sys


def main(path: str, action: str) -> None:
    """Send the question on stdin to the socket, and its answer to stdout."""
    client = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    client.settimeout(60)
    client.connect(path)
    client.sendall(b"action=%s\ntimeout=900\n" % action.encode() + sys.stdin.buffer.read())
    client.shutdown(_socket.SHUT_WR)
    while part := client.recv(65536):
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2])
    except OSError:
        sys.exit(1)
