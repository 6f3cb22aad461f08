"""The CRC of a file that grows, with a mark for each MiB, so that the CRC of its end is cheap."""

import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain import crc32

__all__ = ("MARK_BYTES", "CrcTrack", "TrackedFile", "read_exactly", "track_of")

MARK_BYTES: Final = 1024 * 1024


class ShrunkError(OSError):
    """A log has fewer bytes than it had."""


@dataclass(frozen=True, slots=True)
class TrackedFile:
    """A file as it was at one moment: its first `size` bytes and their CRC. It only grows."""

    size: int
    crc32: int
    marks: Sequence[int]
    """The CRC of the first n MiB at n; may grow beyond `size`."""

    def tail_crc(self, descriptor: int, offset: int) -> int:
        """The CRC from `offset` to the end; reads less than a MiB. Raises OSError."""
        mark = offset // MARK_BYTES
        start = mark * MARK_BYTES
        before = zlib.crc32(read_exactly(descriptor, start, offset - start), self.marks[mark])
        return crc32.remainder(self.crc32, before, self.size - offset)


class CrcTrack:
    """Follows a file that one thread appends to; what it shows may be read by any."""

    __slots__ = ("_crc", "_marks", "_size")

    def __init__(self) -> None:
        self._crc = 0
        self._size = 0
        self._marks = [0]

    def feed(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            step = rest[: MARK_BYTES - self._size % MARK_BYTES]
            self._crc = zlib.crc32(step, self._crc)
            self._size += len(step)
            if self._size % MARK_BYTES == 0:
                self._marks.append(self._crc)
            rest = rest[len(step) :]

    def shown(self) -> TrackedFile:
        return TrackedFile(self._size, self._crc, self._marks)


def track_of(descriptor: int, size: int) -> CrcTrack:
    """Read the first `size` bytes of a file. Raises OSError, also when it has fewer."""
    track = CrcTrack()
    for start in range(0, size, MARK_BYTES):
        track.feed(read_exactly(descriptor, start, min(MARK_BYTES, size - start)))
    return track


def read_exactly(descriptor: int, offset: int, length: int) -> bytes:
    """Bytes of a file, all that are asked for. Raises OSError, also when it has fewer."""
    data = os.pread(descriptor, length, offset)
    while len(data) < length:
        more = os.pread(descriptor, length - len(data), offset + len(data))
        if not more:
            raise ShrunkError
        data += more
    return data
