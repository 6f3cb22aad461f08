"""Permission bits that bind: root passes over them, so a test gives that up first, and then looks.

The privilege to pass over is a capability of a thread (capabilities(7)); the thread lays it down
and takes it up again. Programs that root starts meanwhile have it all the same.
"""

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ("enforced", "permissions_enforced")

VERSION_3: Final = 0x20080522
OVERRIDE: Final = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""

LIBC: Final = ctypes.CDLL(None, use_errno=True)


def enforced(directory: Path) -> bool:
    """Whether this thread is refused in a directory, and a file, that nobody may use."""
    place = directory / "permission-probe"
    place.mkdir()
    file = place / "file"
    file.touch()
    file.chmod(0)
    place.chmod(0o500)
    try:
        return not _allowed(place / "new", os.O_CREAT) and not _allowed(file, os.O_RDONLY)
    finally:
        place.chmod(0o700)
        for each in place.iterdir():
            each.unlink()
        place.rmdir()


@contextmanager
def permissions_enforced(directory: Path) -> Iterator[None]:
    """Have permission bits bind this thread, root's too; fails where they cannot be made to."""
    before = _effective()
    _take(before & ~OVERRIDE)
    try:
        assert enforced(directory), "permission bits bind nobody here"
        yield
    finally:
        _take(before)


def _allowed(path: Path, flags: int) -> bool:
    try:
        os.close(os.open(path, flags, 0o600))
    except PermissionError:
        return False
    return True


def _effective() -> int:
    """The lower half of this thread's effective capabilities: both that matter are in it."""
    return _capabilities()[0]


def _take(effective: int) -> None:
    sets = list(_capabilities())
    if sets[0] == effective:
        return
    sets[0] = effective
    header = struct.pack("Ii", VERSION_3, 0)
    if LIBC.capset(header, struct.pack("6I", *sets)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _capabilities() -> tuple[int, ...]:
    """Effective, permitted and inheritable: the lower halves, then the upper ones."""
    header = struct.pack("Ii", VERSION_3, 0)
    data = ctypes.create_string_buffer(24)
    if LIBC.capget(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    return struct.unpack("6I", data.raw)
