"""Where this home's sockets live: a directory of the user's own, never reached through a link.

`$XDG_RUNTIME_DIR/kandev/<8 hex of home>`, or `kandev-<uid>/<8 hex of home>` under the system's
temporary directory where there is no such place or its path is too long for a socket.
"""

import errno
import hashlib
import os
import socket
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.home.layout import HomeFault, HomeProblem
from domain.broker_contract import MAX_SOCKET_BYTES
from domain.outcome import Failure, Result, Success, failed

__all__ = ("ROOM_BYTES", "SocketPathTooLong", "socket_directory", "stale_sockets")

ROOM_BYTES: Final = 48
"""Bytes kept free below the directory for a socket's name and the separator before it."""

_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class SocketPathTooLong:
    """No socket fits below `path`: the kernel takes 107 bytes (unix(7))."""

    path: str


def socket_directory(
    home: Path, environment: Mapping[str, str], temporary: Path
) -> Result[Path, HomeProblem | SocketPathTooLong]:
    """Make and check the directory, 0700 and ours, each of its two levels.

    `home` and `temporary` are without a link.
    """
    chosen = _choose(home, environment, temporary)
    if failed(chosen):
        return chosen
    base, ours, short = chosen.unwrap()
    return _make(base, ours, short)


def stale_sockets(home: Path, environment: Mapping[str, str], temporary: Path) -> Sequence[str]:
    """The names of the home's sockets that nobody listens on; nothing is made or changed."""
    chosen = _choose(home, environment, temporary)
    if failed(chosen):
        return ()
    directory = Path(*chosen.unwrap())
    if not directory.is_dir():
        return ()
    return [each.name for each in directory.iterdir() if each.is_socket() and _refuses(each)]


def _refuses(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as asking:
        return asking.connect_ex(os.fsencode(path)) == errno.ECONNREFUSED


def _choose(
    home: Path, environment: Mapping[str, str], temporary: Path
) -> Result[tuple[Path, str, str], SocketPathTooLong]:
    """The directory: what is there already, and the two levels below that are ours."""
    short = hashlib.sha256(os.fsencode(home)).hexdigest()[:8]
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    fits = runtime.startswith("/") and _has_room(Path(runtime) / "kandev" / short)
    if fits and _is_ours(Path(runtime)):
        return Success((Path(runtime), "kandev", short))
    ours = f"kandev-{os.geteuid()}"
    chosen = temporary / ours / short
    if not _has_room(chosen):
        return Failure(SocketPathTooLong(str(chosen)))
    return Success((temporary, ours, short))


def _has_room(directory: Path) -> bool:
    return len(os.fsencode(directory)) + ROOM_BYTES <= MAX_SOCKET_BYTES


def _is_ours(directory: Path) -> bool:
    try:
        found = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _make(base: Path, *names: str) -> Result[Path, HomeProblem]:
    """Make each level below the one before, by descriptor, so that nobody can put a link there."""
    path = base
    try:
        parent = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return Failure(HomeProblem(str(base), HomeFault.NOT_WRITABLE))
    try:
        for name in names:
            path /= name
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=parent)
            child = os.open(name, _OPEN, dir_fd=parent)
            os.close(parent)
            parent = child
            if os.fstat(child).st_uid != os.geteuid():
                return Failure(HomeProblem(str(path), HomeFault.NOT_OURS))
            os.fchmod(child, 0o700)
    except OSError as error:
        linked = error.errno in {errno.ELOOP, errno.ENOTDIR}
        fault = HomeFault.NOT_A_DIRECTORY if linked else HomeFault.NOT_WRITABLE
        return Failure(HomeProblem(str(path), fault))
    finally:
        os.close(parent)
    return Success(path)
