"""A file that is there whole or not at all, unless what was received is to be kept for later."""

import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO, Final

__all__ = ("Partial", "arriving", "forget", "note", "noted", "resumable", "verified")

PART_SUFFIX: Final = ".part"
CHUNK_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Partial:
    """What a file that was received in part is a part of."""

    bundle: str
    etag: str


@contextmanager
def arriving(target: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `target` when the block ends well; 0600. Raises OSError.

    Until then it has no name where the file system can do that, so that not even a kill leaves it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    beside: Path | None = None
    try:
        descriptor = os.open(target.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        descriptor, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
        beside = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
            if beside is None:
                beside = target.parent / f".{target.name}.{os.getpid()}"
                _name(descriptor, beside)
        beside.replace(target)
    except BaseException:
        if beside is not None:
            with suppress(OSError):
                beside.unlink()
        raise


@contextmanager
def resumable(target: Path) -> Iterator[BinaryIO]:
    """The same, but what was received stays under a name of its own when the block ends badly."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = _part(target)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(part, flags, 0o600), "r+b") as file:
        file.seek(0, os.SEEK_END)
        yield file
        file.flush()
        os.fsync(file.fileno())
    part.replace(target)
    _note(target).unlink(missing_ok=True)


def noted(target: Path) -> Partial | None:
    """What the part of `target` belongs to; None where there is none."""
    try:
        told = json.loads(_note(target).read_bytes())
        return Partial(str(told["bundle"]), str(told["etag"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def note(target: Path, partial: Partial) -> None:
    """Begin a part of another bundle."""
    forget(target)
    with arriving(_note(target)) as file:
        file.write(json.dumps(asdict(partial)).encode())


def forget(target: Path) -> None:
    """Remove what was received of it."""
    for path in (_part(target), _note(target)):
        path.unlink(missing_ok=True)


def verified(file: BinaryIO, length: int, crc32: int | None) -> bool:
    """Whether an archive has the length and the CRC that were promised, and each entry its own."""
    file.flush()
    file.seek(0)
    found = size = 0
    while chunk := file.read(CHUNK_BYTES):
        size += len(chunk)
        found = zlib.crc32(chunk, found)
    if size != length or (crc32 is not None and found != crc32):
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.testzip() is None
    except zipfile.BadZipFile:
        return False


def _name(descriptor: int, path: Path) -> None:
    """Give a file without a name one: Python follows the link of /proc only below a descriptor."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.link(f"/proc/self/fd/{descriptor}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _part(target: Path) -> Path:
    return target.with_name(f".{target.name}{PART_SUFFIX}")


def _note(target: Path) -> Path:
    return target.with_name(f".{target.name}{PART_SUFFIX}.json")
