"""The numbered, append-only log of one execution's events: files of one JSON object a line.

An event is in the file before it is handed out, so that what was given is there after the process
was killed. What was acknowledged is trimmed, a file at a time. A file that cannot be written keeps
its events in memory until it can. The kernel's page cache takes the reads and the writes, which is
quicker than handing them to a thread.
"""

import asyncio
import os
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from adapters.agentctl.wire import Event
from domain.event import EventKind, Json

__all__ = ("BeyondError", "EventLog", "TrimmedError")

SEGMENT_BYTES: Final = 4 * 1024 * 1024
"""A file that has reached this size is followed by another."""

READ_BYTES: Final = 256 * 1024
"""What a reader is given at once, at most."""

_ENCODER: Final = msgspec.json.Encoder()


class TrimmedError(Exception):
    """The events asked for were acknowledged and are gone; `first` is the first there is."""

    def __init__(self, first: int) -> None:
        super().__init__(f"events before {first} are gone")
        self.first = first


class BeyondError(Exception):
    """The reader has events that were never given here; `last` is the newest there is."""

    def __init__(self, last: int) -> None:
        super().__init__(f"the newest event is {last}")
        self.last = last


class _Segment:
    """One file; `first` is the number of its first event, `last` of its last flushed one."""

    __slots__ = ("first", "following", "last", "size")

    def __init__(self, first: int) -> None:
        self.first = first
        self.last = first - 1
        self.size = 0
        self.following: _Segment | None = None


class _Batch(NamedTuple):
    last: int
    size: int


class EventLog:
    """`append` collects, `flush` makes durable and wakes the readers; both are of one thread."""

    __slots__ = (
        "_acknowledged",
        "_batches",
        "_changed",
        "_clean",
        "_descriptor",
        "_directory",
        "_ended",
        "_now",
        "_number",
        "_pending",
        "_pending_size",
        "_read_bytes",
        "_segment_bytes",
        "_segments",
        "_unacknowledged",
    )

    def __init__(
        self,
        directory: Path,
        *,
        now: Callable[[], datetime],
        clean: Callable[[bytes], bytes],
        segment_bytes: int = SEGMENT_BYTES,
        read_bytes: int = READ_BYTES,
    ) -> None:
        self._directory = str(directory)
        self._segment_bytes = segment_bytes
        self._read_bytes = read_bytes
        self._now = now
        self._clean = clean
        self._segments: list[_Segment] = []
        self._batches: list[_Batch] = []
        self._pending: list[bytes] = []
        self._pending_size = 0
        self._number = 0
        self._acknowledged = 0
        self._unacknowledged = 0
        self._descriptor: int | None = None
        self._changed: asyncio.Event | None = None
        self._ended = False

    @property
    def last(self) -> int:
        """The number of the newest event that can be read."""
        return self._segments[-1].last if self._segments else 0

    @property
    def held(self) -> int:
        """Bytes of events that nobody acknowledged yet."""
        return self._unacknowledged + self._pending_size

    @property
    def stuck(self) -> bool:
        """Whether there are events that could not be written."""
        return bool(self._pending)

    @property
    def ended(self) -> bool:
        return self._ended

    def open(self) -> None:
        """Begin the first file; its directory exists. Raises `OSError`."""
        self._begin_segment()

    def recover(self) -> Iterator[bytes]:
        """Take up the files of an earlier process; every whole line they hold, in order.

        A line that was cut short was never handed out, and is written over. Raises `OSError`.
        """
        for path in sorted(Path(self._directory).glob("*.ndjson")):
            segment = _Segment(int(path.stem))
            whole = path.read_bytes().rpartition(b"\n")[0].splitlines(keepends=True)
            segment.size = sum(map(len, whole)) + (1 if whole else 0)
            segment.last = segment.first + len(whole) - 1
            self._take(segment, os.open(path, os.O_WRONLY | os.O_CLOEXEC))
            self._number = segment.last
            self._unacknowledged += segment.size
            self._batches.append(_Batch(segment.last, segment.size))
            yield from whole

    def append(self, kind: EventKind, generation: int | None, body: Json) -> None:
        """Number an event. It can be read once it is flushed."""
        self._number += 1
        at = self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        encoded = msgspec.Raw(self._clean(_ENCODER.encode(body)))
        line = _ENCODER.encode(Event(self._number, at, kind.value, generation, encoded)) + b"\n"
        self._pending.append(line)
        self._pending_size += len(line)

    def flush(self) -> bool:
        """Write what was appended; False when the disk does not take it, to be tried again."""
        if not self._pending:
            return True
        try:
            if self._segments[-1].size >= self._segment_bytes:
                self._begin_segment()
            self._write(self._segments[-1], b"".join(self._pending))
        except OSError:
            return False
        size, self._pending_size = self._pending_size, 0
        self._pending.clear()
        self._unacknowledged += size
        self._batches.append(_Batch(self._number, size))
        self._wake()
        return True

    def acknowledge(self, through: int) -> None:
        """Let go of the events up to `through`. Idempotent; a number not yet given is none."""
        self._acknowledged = max(self._acknowledged, min(through, self.last))
        done = bisect_right(self._batches, self._acknowledged, key=lambda batch: batch.last)
        self._unacknowledged -= sum(batch.size for batch in self._batches[:done])
        del self._batches[:done]
        while len(self._segments) > 1 and self._segments[0].last <= self._acknowledged:
            Path(self._path(self._segments.pop(0))).unlink(missing_ok=True)

    def end(self) -> None:
        """There will be no more events: readers end once they were given everything."""
        self._ended = True
        self._wake()

    def close(self) -> None:
        """End, and give the file back. The files stay; what could not be written is gone."""
        self._pending.clear()
        self._pending_size = 0
        self.end()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    async def follow(self, after: int) -> AsyncGenerator[bytes]:
        """The lines of the events after `after`, in order, in pieces, until the log has ended.

        Each reader is given every event. Raises `TrimmedError` when some of them are gone, and
        `BeyondError` when there never was an event `after` and more are to come.
        """
        self.check(after)
        segment = self._containing(after + 1)
        reader = os.open(self._path(segment), os.O_RDONLY | os.O_CLOEXEC)
        try:
            offset = _skip(reader, after + 1 - segment.first)
            while True:
                if offset < segment.size:
                    piece = os.pread(reader, min(self._read_bytes, segment.size - offset), offset)
                    offset += len(piece)
                    yield piece
                elif segment.following is not None:
                    segment, offset = segment.following, 0
                    replacement = self._reopen(segment)
                    os.close(reader)
                    reader = replacement
                elif self._ended and not self._pending:
                    return
                else:
                    await self._change()
        finally:
            os.close(reader)

    def check(self, after: int) -> None:
        """Raise `TrimmedError` or `BeyondError` unless everything after `after` can be given.

        After the last event of a log that has ended there is nothing, which can be given: what a
        power failure took from a log is no reason to keep its end from who has more of it.
        """
        self._containing(after + 1)
        if after > self.last and not self._ended:
            raise BeyondError(self.last)

    def _containing(self, number: int) -> _Segment:
        first = self._segments[0]
        if number < first.first:
            raise TrimmedError(first.first)
        return next(s for s in reversed(self._segments) if s.first <= number)

    def _reopen(self, segment: _Segment) -> int:
        try:
            return os.open(self._path(segment), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise TrimmedError(self._segments[0].first) from None

    def _begin_segment(self) -> None:
        first = self.last + 1
        segment = _Segment(first)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        self._take(segment, os.open(self._path(segment), flags, 0o600))

    def _path(self, segment: _Segment) -> str:
        return f"{self._directory}/{segment.first:012d}.ndjson"

    def _take(self, segment: _Segment, descriptor: int) -> None:
        """Write to this file from now on."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = descriptor
        if self._segments:
            self._segments[-1].following = segment
        self._segments.append(segment)

    def _write(self, segment: _Segment, data: bytes) -> None:
        """Write behind what is flushed, so that a piece of a failed write is written over."""
        if self._descriptor is None:
            raise OSError("the log is closed")
        view, offset = memoryview(data), segment.size
        while view:
            written = os.pwrite(self._descriptor, view, offset)
            view, offset = view[written:], offset + written
        segment.size, segment.last = offset, self._number

    async def _change(self) -> None:
        if self._changed is None:
            self._changed = asyncio.Event()
        await self._changed.wait()

    def _wake(self) -> None:
        if self._changed is not None:
            self._changed.set()
            self._changed = None


def _skip(descriptor: int, lines: int) -> int:
    """The offset behind the first `lines` lines."""
    offset = 0
    while lines > 0:
        piece = os.pread(descriptor, READ_BYTES, offset)
        if not piece:
            break
        breaks = piece.count(b"\n")
        if breaks < lines:
            lines, offset = lines - breaks, offset + len(piece)
            continue
        at = -1
        for _ in range(lines):
            at = piece.index(b"\n", at + 1)
        return offset + at + 1
    return offset
