"""The folder of bundles in a workspace, through descriptors: no link is followed on the way.

An agent has the workspace to itself and may put anything there at any moment. What is written goes
into the folder that was opened, under names of ours, and replaces nothing; what is removed is a
regular file of such a name.
"""

import errno
import os
import stat
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from domain.bundle_path import FOLDER, IGNORE_NAME, IGNORE_TEXT, Found, is_ours, outdated

__all__ = ("Folder", "StageFile", "UnsafeError", "clear", "made", "opened")

CHUNK: Final = 1024 * 1024

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_UNNAMED: Final = os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNLISTED: Final = ".git"
"""What git never shows, whatever it is: the ignore file's name until it is whole."""

_NO_UNNAMED: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT})
"""How open(2) answers O_TMPFILE where there is none."""


class UnsafeError(Exception):
    """Something stands where the folder or the bundle should be, and is not ours."""


@dataclass(slots=True)
class StageFile:
    """An unfinished bundle; `name` is None where the file system keeps files without one."""

    descriptor: int
    name: str | None
    length: int = 0
    crc32: int = 0

    def write(self, data: bytes) -> None:
        """Append. Raises OSError."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.descriptor, rest) :]
        self.length += len(data)
        self.crc32 = zlib.crc32(data, self.crc32)


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder, wherever it is moved to. `unnamed` may be false where it cannot be."""

    descriptor: int
    unnamed: bool = True

    def close(self) -> None:
        os.close(self.descriptor)

    def is_at(self, workspace: Path) -> bool:
        """Whether the way from the workspace still leads here, over no link."""
        with suppress(OSError), opened(workspace) as there:
            return os.path.samestat(os.fstat(self.descriptor), os.fstat(there.descriptor))
        return False

    def names(self) -> set[str]:
        with os.scandir(self.descriptor) as found:
            return {each.name for each in found}

    def see_room(self, length: int) -> None:
        """Raises OSError when the disk has not so many bytes for us."""
        found = os.fstatvfs(self.descriptor)
        if found.f_bavail * found.f_frsize < length:
            raise OSError(errno.ENOSPC, "no space")

    def hide(self) -> None:
        """See that git overlooks all that is here. Raises `UnsafeError`, OSError."""
        if self._is_hidden():
            return
        try:
            self._write_ignore_file()
        except FileExistsError:
            if not self._is_hidden():
                raise UnsafeError from None

    def new_file(self, name: str) -> StageFile:
        """An empty file, named only where it must be."""
        if self.unnamed:
            try:
                return StageFile(os.open(".", _UNNAMED, 0o600, dir_fd=self.descriptor), None)
            except OSError as error:
                if error.errno not in _NO_UNNAMED:
                    raise
        return StageFile(os.open(name, _NEW, 0o600, dir_fd=self.descriptor), name)

    def publish(self, stage: StageFile, name: str) -> None:
        """Give the file its name, durably. Raises `UnsafeError` when another thing has it."""
        self.hide()
        try:
            self._link(stage, name)
        except FileExistsError:
            if not self._has(stage, name):
                raise UnsafeError from None
        os.fsync(self.descriptor)

    def drop(self, stage: StageFile) -> None:
        """Close an unfinished file, or one that was published, and take its first name away."""
        if stage.name is not None:
            with suppress(OSError):
                self._remove(stage.name)
        os.close(stage.descriptor)

    def remove(self, names: Collection[str]) -> None:
        """Remove those that are ours and regular files."""
        for name in names:
            with suppress(OSError):
                self._remove(name)

    def sweep(self, now: datetime) -> None:
        """Remove what has grown too old, whoever left it."""
        found: list[Found] = []
        for name in self.names():
            with suppress(OSError):
                modified = os.lstat(name, dir_fd=self.descriptor).st_mtime
                found.append(Found(name, datetime.fromtimestamp(modified, UTC)))
        self.remove(outdated(found, now))

    def unhide_when_empty(self) -> None:
        """Take the ignore file away when nothing else is here."""
        self._forget_unfinished()
        with suppress(UnsafeError):
            if not self.names() - {IGNORE_NAME} and self._is_hidden():
                os.unlink(IGNORE_NAME, dir_fd=self.descriptor)

    def _write_ignore_file(self) -> None:
        self._forget_unfinished()
        file = self.new_file(_UNLISTED)
        try:
            file.write(IGNORE_TEXT.encode())
            self._link(file, IGNORE_NAME)
        finally:
            os.close(file.descriptor)
            self._forget_unfinished()

    def _link(self, stage: StageFile, name: str) -> None:
        # linkat(2) of an open file: what its first name leads to by now does not matter.
        source = f"/proc/self/fd/{stage.descriptor}"
        os.link(source, name, dst_dir_fd=self.descriptor, follow_symlinks=True)

    def _remove(self, name: str) -> None:
        if is_ours(name) and stat.S_ISREG(os.lstat(name, dir_fd=self.descriptor).st_mode):
            os.unlink(name, dir_fd=self.descriptor)

    def _forget_unfinished(self) -> None:
        """Remove an ignore file that was not finished."""
        with suppress(OSError):
            found = os.lstat(_UNLISTED, dir_fd=self.descriptor)
            if stat.S_ISREG(found.st_mode) and found.st_size <= len(IGNORE_TEXT):
                os.unlink(_UNLISTED, dir_fd=self.descriptor)

    def _is_hidden(self) -> bool:
        """Whether the ignore file is there. Raises `UnsafeError` when something else is."""
        try:
            descriptor = os.open(IGNORE_NAME, _READ, dir_fd=self.descriptor)
        except FileNotFoundError:
            return False
        except OSError:
            raise UnsafeError from None
        try:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            text = os.read(descriptor, 64) if regular else b"?"
        finally:
            os.close(descriptor)
        if text != IGNORE_TEXT.encode():
            raise UnsafeError
        return True

    def _has(self, stage: StageFile, name: str) -> bool:
        """Whether the very same bytes have the name already."""
        try:
            descriptor = os.open(name, _READ, dir_fd=self.descriptor)
        except OSError:
            return False
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size != stage.length:
                return False
            crc = 0
            while data := os.read(descriptor, CHUNK):
                crc = zlib.crc32(data, crc)
            return crc == stage.crc32
        finally:
            os.close(descriptor)


@contextmanager
def opened(workspace: Path) -> Iterator[Folder]:
    """The folder of a workspace that has one. Raises OSError, also for a link on the way."""
    current = os.open(workspace, _DIRECTORY)
    try:
        for name in FOLDER:
            following = os.open(name, _DIRECTORY, dir_fd=current)
            os.close(current)
            current = following
        yield Folder(current)
    finally:
        os.close(current)


def made(workspace: Path, *, unnamed: bool = True) -> Folder:
    """The folder, made where it is missing, and hidden from git. Raises `UnsafeError`, OSError."""
    current = os.open(workspace, _DIRECTORY)
    try:
        for name in FOLDER:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=current)
            try:
                following = os.open(name, _DIRECTORY, dir_fd=current)
            except OSError as error:
                if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                    raise UnsafeError from None
                raise
            os.close(current)
            current = following
        folder = Folder(current, unnamed)
        os.fchmod(current, 0o700)
        folder.hide()
    except BaseException:
        os.close(current)
        raise
    return folder


def clear(workspace: Path, names: Collection[str], *, keep_folder: bool) -> None:
    """Remove bundles, and unless it is to stay the folder with its parent, where they are empty.

    What is not there, or not to be reached without following a link, is passed over.
    """
    with suppress(OSError), opened(workspace) as folder:
        folder.remove(names)
        if not keep_folder:
            folder.unhide_when_empty()
    if not keep_folder:
        with suppress(OSError):
            _remove_folders(workspace)


def _remove_folders(workspace: Path) -> None:
    """rmdir(2) takes nothing but an empty directory."""
    outer, inner = FOLDER
    root = os.open(workspace, _DIRECTORY)
    try:
        parent = os.open(outer, _DIRECTORY, dir_fd=root)
        try:
            with suppress(FileNotFoundError):
                os.rmdir(inner, dir_fd=parent)
        finally:
            os.close(parent)
        os.rmdir(outer, dir_fd=root)
    finally:
        os.close(root)
