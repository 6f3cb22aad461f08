"""One server a home: a lock that the kernel drops when its holder ends, however it ends.

The file says who holds it and where it listens. What it says counts only while the lock is held.
"""

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from adapters.home.layout import HomeFault, HomeProblem
from domain.outcome import Failure, Result, Success

__all__ = ("HomeHeld", "HomeLock", "holder", "take_home")

_MAX_BYTES: Final = 4_096
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class HomeHeld:
    """A server holds the home; `pid` is None and `address` empty where it has not said yet."""

    home: str
    pid: int | None
    address: str


class HomeLock:
    """The home is held until this is closed, or the process ends."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def announce(self, address: str) -> None:
        """Say where this server listens; raises `OSError` when it cannot be written."""
        line = json.dumps({"pid": os.getpid(), "address": address}).encode()
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, line, 0)

    def close(self) -> None:
        """Give the home up. The file stays: removing it would let two hold two files."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def take_home(file: Path) -> Result[HomeLock, HomeHeld | HomeProblem]:
    """Hold the home whose lock is `file`, at once or not at all."""
    try:
        descriptor = os.open(file, _FLAGS, 0o600)
    except OSError:
        return Failure(HomeProblem(str(file), HomeFault.NOT_WRITABLE))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        held = _read(file, descriptor)
        os.close(descriptor)
        return Failure(held)
    lock = HomeLock(descriptor)
    try:
        lock.announce("")
    except OSError:
        os.close(descriptor)
        return Failure(HomeProblem(str(file), HomeFault.NOT_WRITABLE))
    return Success(lock)


def holder(file: Path) -> HomeHeld | None:
    """The server that holds the home now, if one does; nothing is changed or waited for."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(file, descriptor)
    finally:
        os.close(descriptor)
    return None


def _read(file: Path, descriptor: int) -> HomeHeld:
    home = str(file.parent)
    try:
        said: object = json.loads(os.pread(descriptor, _MAX_BYTES, 0))
    except ValueError:
        return HomeHeld(home, None, "")
    match said:
        case {"pid": int(pid), "address": str(address)}:
            return HomeHeld(home, pid, address)
        case _:
            return HomeHeld(home, None, "")
