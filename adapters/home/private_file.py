"""Private files: 0600, made whole under their name, and read only when nobody else can."""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from domain.outcome import Failure, Result, Success
from ports.private_file import PrivateFileFault, PrivateFileProblem

__all__ = ("MAX_PRIVATE_BYTES", "OwnedFile")

MAX_PRIVATE_BYTES: Final = 4_096
"""Bytes of a private file; a longer one is none of ours."""

_READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class OwnedFile:
    """A private file of the user who runs this process."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> str:
        return str(self._path)

    def read(self) -> Result[bytes | None, PrivateFileProblem]:
        try:
            descriptor = os.open(self._path, _READ_FLAGS)
        except FileNotFoundError:
            return Success(None)
        except OSError as error:
            linked = error.errno == errno.ELOOP
            return self._refuse(
                PrivateFileFault.NOT_A_FILE if linked else PrivateFileFault.UNREADABLE
            )
        try:
            fault = _fault_of(os.fstat(descriptor))
            if fault is not None:
                return self._refuse(fault)
            content = os.read(descriptor, MAX_PRIVATE_BYTES + 1)
        except OSError:
            return self._refuse(PrivateFileFault.UNREADABLE)
        finally:
            os.close(descriptor)
        if len(content) > MAX_PRIVATE_BYTES:
            return self._refuse(PrivateFileFault.TOO_BIG)
        return Success(content)

    def create(self, content: bytes) -> Result[bool, PrivateFileProblem]:
        """Write beside, then link: the name exists with all of the content or not at all."""
        try:
            self._place(content, os.link)
        except FileExistsError:
            return Success(False)
        except OSError as error:
            return self._refuse(_write_fault(error))
        return Success(True)

    def replace(self, content: bytes) -> Result[None, PrivateFileProblem]:
        """Write beside, then rename over."""
        try:
            self._place(content, os.replace)
        except OSError as error:
            return self._refuse(_write_fault(error))
        return Success(None)

    def _place(self, content: bytes, move: Callable[[str, Path], None]) -> None:
        """Write all of the content to the disk under another name, then move it to this one."""
        if len(content) > MAX_PRIVATE_BYTES:
            raise ValueError("the content is longer than it could be read back")
        descriptor, beside = mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            move(beside, self._path)
            _sync(self._path.parent)
        finally:
            with suppress(OSError):
                Path(beside).unlink()

    def _refuse(self, fault: PrivateFileFault) -> Failure[PrivateFileProblem]:
        return Failure(PrivateFileProblem(self.path, fault))


def _fault_of(found: os.stat_result) -> PrivateFileFault | None:
    if not stat.S_ISREG(found.st_mode):
        return PrivateFileFault.NOT_A_FILE
    if found.st_uid != os.geteuid():
        return PrivateFileFault.FOREIGN
    return PrivateFileFault.EXPOSED if stat.S_IMODE(found.st_mode) & 0o077 else None


def _write_fault(error: OSError) -> PrivateFileFault:
    full = error.errno in _FULL
    return PrivateFileFault.DISK_FULL if full else PrivateFileFault.NOT_WRITABLE


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
