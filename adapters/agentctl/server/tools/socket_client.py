"""What `git credential-cache --socket S get|erase` does, for a git that was built without it.

Started with `-I -S` from its compiled form, and imports hardly anything: git waits for it.
"""

import posix
import sys
from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket

_BLOCK = 65_536
_SECONDS = 60


def main(path: str, action: str) -> None:
    """Send the question on stdin to the socket, and its answer to stdout. Raises `OSError`."""
    question = [f"action={action}\ntimeout=900\n".encode()]
    while block := posix.read(0, _BLOCK):
        question.append(block)
    client = socket(AF_UNIX, SOCK_STREAM)
    client.settimeout(_SECONDS)
    client.connect(path)
    client.sendall(b"".join(question))
    client.shutdown(SHUT_WR)
    while answer := client.recv(_BLOCK):
        while answer:
            answer = answer[posix.write(1, answer) :]


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2])
    except OSError:
        sys.exit(1)
