"""Where the sockets of agentctl are: unguessable names in a private directory, 0600.

A name begins with pid and start time of its agentctl, so that the next one knows an orphan.
"""

import errno
import os
import re
import secrets
import socket
from pathlib import Path
from typing import Final

from adapters.agentctl import process_stat
from domain import broker_contract

__all__ = ("bind", "fresh", "remove", "sweep")

_BACKLOG: Final = 128
_RANDOM_BYTES: Final = 8
_NAME: Final = re.compile(r"([1-9][0-9]*)-([0-9]+)-[0-9a-f]{16}\.([a-z]+)\.sock")


def fresh(directory: Path, kind: str) -> Path:
    """A path that no socket has; `kind` says in lower case what the socket is for."""
    pid, started = process_stat.ourselves()
    return directory / f"{pid}-{started}-{secrets.token_hex(_RANDOM_BYTES)}.{kind}.sock"


def sweep(directory: Path, kind: str) -> None:
    """Remove the sockets of this kind whose agentctl is gone. Raises `OSError`."""
    for path in directory.iterdir():
        name = _NAME.fullmatch(path.name)
        if name and name[3] == kind and not process_stat.is_running(int(name[1]), int(name[2])):
            path.unlink(missing_ok=True)


def remove(path: str) -> None:
    """Remove a socket of ours. Raises `OSError`."""
    Path(path).unlink(missing_ok=True)


def bind(path: Path) -> socket.socket:
    """A listening unix socket at `path`, 0600 from its first moment. Raises `OSError`."""
    if len(os.fsencode(path)) > broker_contract.MAX_SOCKET_BYTES:
        reason = f"the path of a socket has at most {broker_contract.MAX_SOCKET_BYTES} bytes"
        raise OSError(errno.ENAMETOOLONG, reason, str(path))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Linux gives the name the mode of the descriptor when it is bound; nobody connects before
        # it listens.
        os.fchmod(listener.fileno(), 0o600)
        listener.bind(os.fspath(path))
    except OSError:
        listener.close()
        raise
    try:
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        path.unlink(missing_ok=True)
        raise
    return listener
