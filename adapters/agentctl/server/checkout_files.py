"""Files of a checkout, read and written for a client while an agent has them to itself."""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from adapters.agentctl.server.way import OutsideError, Place, way_to
from domain.checkout_file import (
    MAX_READ_BYTES,
    Content,
    Directory,
    EntryKind,
    FileCode,
    FileEntry,
    FileFailure,
    Written,
    content_of,
    digest,
    listed,
)
from domain.outcome import Failure, Result, Success
from domain.worktree_path import shown

__all__ = ("list_directory", "overwrite_file", "read_file", "write_file")

Value = TypeVar("Value")

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_HERE: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_MODE: Final = 0o666

_CODES: Final = {
    errno.ENOENT: FileCode.NOT_FOUND,
    errno.ENOTDIR: FileCode.NOT_A_DIRECTORY,
    errno.EISDIR: FileCode.NOT_A_FILE,
    errno.ENXIO: FileCode.NOT_A_FILE,
    errno.ELOOP: FileCode.CHANGED,
    errno.EEXIST: FileCode.CHANGED,
    errno.ENOSPC: FileCode.DISK_FULL,
    errno.EDQUOT: FileCode.DISK_FULL,
    errno.ENAMETOOLONG: FileCode.NOT_FOUND,
}


class _RefusedError(Exception):
    def __init__(self, code: FileCode) -> None:
        super().__init__(code)
        self.code = code


def list_directory(root: Path, path: str) -> Result[Directory, FileFailure]:
    """What is in a directory, git's own files apart; links are not followed."""

    def look() -> Directory:
        with way_to(root, path) as place:
            descriptor = os.open(place.name or ".", _HERE, dir_fd=place.parent)
            try:
                return listed(list(_entries(descriptor)))
            finally:
                os.close(descriptor)

    return _answered(look, path)


def read_file(root: Path, path: str) -> Result[Content, FileFailure]:
    """A regular file, whole."""

    def read() -> Content:
        with way_to(root, path) as place:
            data = _read(place)
        if data is None:
            raise _RefusedError(FileCode.NOT_FOUND)
        return content_of(data)

    return _answered(read, path)


def write_file(
    root: Path, path: str, data: bytes, replaces: str | None
) -> Result[Written, FileFailure]:
    """Put the file there in one step, if what it replaces is still there; parents are made."""

    def write() -> Written:
        with way_to(root, path, make=replaces is None) as place:
            _put(place, data, lambda there: replaces == (None if there is None else digest(there)))
        return Written(len(data), digest(data))

    return _answered(write, path)


def overwrite_file(root: Path, path: str, data: bytes) -> Result[Written, FileFailure]:
    """Put the file there in one step, whatever it holds now; parents are made."""

    def write() -> Written:
        with way_to(root, path, make=True) as place:
            _put(place, data, lambda _: True)
        return Written(len(data), digest(data))

    return _answered(write, path)


def _put(place: Place, data: bytes, replaces: Callable[[bytes | None], bool]) -> None:
    """`replaces` says of what is there, None for nothing, whether it may be replaced."""
    beside = f".kandev-{secrets.token_hex(8)}"
    descriptor = os.open(beside, _NEW, _NEW_MODE, dir_fd=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            _take_mode(place, file.fileno())
        there = _read(place)
        if not replaces(there):
            raise _RefusedError(FileCode.CHANGED)
        if there is None:
            os.link(beside, place.name, src_dir_fd=place.parent, dst_dir_fd=place.parent)
        else:
            os.rename(beside, place.name, src_dir_fd=place.parent, dst_dir_fd=place.parent)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=place.parent)


def _take_mode(place: Place, descriptor: int) -> None:
    """That of the file which is replaced."""
    with suppress(FileNotFoundError):
        mode = os.stat(place.name, dir_fd=place.parent, follow_symlinks=False).st_mode
        os.fchmod(descriptor, stat.S_IMODE(mode) & 0o777)


def _read(place: Place) -> bytes | None:
    """The bytes of a regular file, None where nothing is."""
    if not place.name:
        raise _RefusedError(FileCode.NOT_A_FILE)
    try:
        descriptor = os.open(place.name, _READ, dir_fd=place.parent)
    except FileNotFoundError:
        return None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise _RefusedError(FileCode.NOT_A_FILE)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(MAX_READ_BYTES + 1) if found.st_size <= MAX_READ_BYTES else None
    if data is None or len(data) > MAX_READ_BYTES:
        raise _RefusedError(FileCode.TOO_LARGE)
    return data


def _entries(descriptor: int) -> Iterator[FileEntry]:
    with os.scandir(descriptor) as found:
        for each in found:
            if each.name.lower() != ".git":
                with suppress(FileNotFoundError):
                    yield _entry(each)


def _entry(found: "os.DirEntry[str]") -> FileEntry:
    if found.is_symlink():
        return FileEntry(shown(found.name), EntryKind.LINK, None)
    if found.is_dir(follow_symlinks=False):
        return FileEntry(shown(found.name), EntryKind.DIRECTORY, None)
    if found.is_file(follow_symlinks=False):
        size = found.stat(follow_symlinks=False).st_size
        return FileEntry(shown(found.name), EntryKind.FILE, size)
    return FileEntry(shown(found.name), EntryKind.OTHER, None)


def _answered(work: Callable[[], Value], path: str) -> Result[Value, FileFailure]:
    try:
        return Success(work())
    except _RefusedError as refused:
        return Failure(FileFailure(refused.code, path))
    except OutsideError:
        return Failure(FileFailure(FileCode.OUTSIDE, path))
    except OSError as error:
        return Failure(FileFailure(_CODES.get(error.errno or 0, FileCode.DENIED), path))
