"""A bounded queue with a writer's thread of its own: who logs never waits for what is written to.

An entry is redacted on that thread, before anything is written. Whatever is not written is counted
by level and reason, and once a loss is over one line in the log says so.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Condition, Lock, Thread
from typing import Final, Protocol, TypeAlias

import msgspec

from domain.log_queue import (
    BATCH_ENTRIES,
    Bounds,
    Level,
    LossReason,
    Lost,
    refusal,
    zero_losses,
)
from domain.redaction import Redacted

__all__ = ("Mask", "Sink", "SinkState", "Writer")

GATHER_SECONDS: Final = 0.005
"""How long a writer waits for more behind what it wrote, so that not every entry wakes it."""

IDLE_SECONDS: Final = 30.0
"""How often a writer that has nothing to write may look after itself."""

_NEVER: Final = 1 << 62

Mask = Callable[[bytes], Redacted[bytes]]


class Writer(Protocol):
    """What a sink writes to. Only the thread of the sink calls it."""

    def write(self, lines: Sequence[bytes]) -> int:
        """Write lines, each whole or not at all; how many of the first were written."""
        ...

    def rest(self) -> None:
        """Nothing was logged for a while."""
        ...

    def close(self) -> None: ...


_Entry: TypeAlias = tuple[Level, bytes]


@dataclass(frozen=True, slots=True)
class SinkState:
    """What a sink took and lost since it was made; every level and reason is there."""

    name: str
    accepted: dict[Level, int]
    lost: dict[Lost, int]
    queue_entries: int
    queue_bytes: int
    masked: int


class Sink:
    """Takes entries from any thread between `start` and `close`."""

    def __init__(self, name: str, bounds: Bounds, writer: Writer, mask: Mask) -> None:
        self.name = name
        self._bounds = bounds
        self._free_entries, self._free_bytes = bounds.unreserved
        self._writer = writer
        self._mask = mask
        # Taken without the condition where a producer comes by: that is half of what it costs.
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._queue: deque[_Entry] = deque()
        self._writing: Sequence[_Entry] = ()
        self._entries = 0
        self._bytes = 0
        self._accepted = [0] * (max(Level) + 1)
        self._lost = zero_losses()
        self._untold = 0
        self._masked = 0
        self._wake_at = _NEVER
        self._closing = False
        self._abandoned = False
        self._thread = Thread(target=self._run, name=f"log-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def offer(self, level: Level, line: bytes) -> bool:
        """Take a line, its line feed included, or refuse it; never waits for the writer."""
        size = len(line)
        with self._lock:
            entries, held = self._entries, self._bytes + size
            if (
                entries >= self._free_entries
                or held > self._free_bytes
                or size > self._bounds.entry_bytes
                or self._closing
            ) and self._refused(level, size):
                return False
            self._queue.append((level, line))
            self._entries = entries + 1
            self._bytes = held
            self._accepted[level] += 1
            if entries >= self._wake_at:
                self._wake_at = _NEVER
                self._changed.notify_all()
        return True

    def flush(self, seconds: float) -> bool:
        """Wait until what was taken is written, at most so long; whether it is."""
        with self._changed:
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not self._entries, seconds)

    def stop_intake(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def close(self, deadline: float) -> bool:
        """Stop taking and drain until `deadline` of the monotonic clock; whether all was written.

        What is not written by then, an entry under way included, is counted once.
        """
        self.stop_intake()
        self._thread.join(max(0.0, deadline - time.monotonic()))
        if not self._thread.is_alive():
            return True
        with self._changed:
            if not self._abandoned:
                self._abandoned = True
                for level, _ in (*self._writing, *self._queue):
                    self._lose(level, LossReason.SHUTDOWN_TIMEOUT)
                self._queue.clear()
        return False

    def state(self) -> SinkState:
        with self._changed:
            return SinkState(
                self.name,
                {level: self._accepted[level] for level in Level},
                dict(self._lost),
                self._entries,
                self._bytes,
                self._masked,
            )

    def _refused(self, level: Level, size: int) -> bool:
        """Whether an entry is refused, and counted; asked where room is short."""
        reason = refusal(
            self._bounds, self._entries, self._bytes, level, size, closing=self._closing
        )
        if reason is not None:
            self._lose(level, reason)
        return reason is not None

    def _lose(self, level: Level, reason: LossReason) -> None:
        self._lost[Lost(level, reason)] += 1
        self._untold += 1

    def _run(self) -> None:
        while self._next():
            if not self._writing:
                self._writer.rest()
                continue
            written = self._write(self._writing)
            self._settle(written)
        self._writer.close()

    def _next(self) -> bool:
        """Take a batch, none when it is time to rest; false when all is done."""
        with self._changed:
            self._wait(BATCH_ENTRIES, GATHER_SECONDS)
            self._wait(1, IDLE_SECONDS)
            self._writing = [
                self._queue.popleft() for _ in range(min(BATCH_ENTRIES, len(self._queue)))
            ]
            return bool(self._writing) or not self._closing

    def _wait(self, entries: int, seconds: float) -> None:
        """While there is nothing to write: for so many entries, or for who wants it written."""
        if not self._queue and not self._closing:
            self._wake_at = entries - 1
            self._changed.wait(seconds)
            self._wake_at = _NEVER

    def _write(self, batch: Sequence[_Entry]) -> list[bool]:
        """Whether each was written: after one that cannot be, the next is tried."""
        lines = self._redacted([line for _, line in batch])
        done: list[bool] = []
        while len(done) < len(lines):
            count = self._writer.write(lines[len(done) :])
            done += [True] * count
            if len(done) < len(lines):
                done.append(False)
        return done

    def _settle(self, written: Sequence[bool]) -> None:
        with self._changed:
            batch, self._writing = self._writing, ()
            self._entries -= len(batch)
            self._bytes -= sum(len(line) for _, line in batch)
            if not (self._abandoned or all(written)):
                for (level, _), whole in zip(batch, written, strict=True):
                    if not whole:
                        self._lose(level, LossReason.WRITE_ERROR)
            over = all(written) and not self._queue
            untold = self._untold if over else 0
            self._untold -= untold
            self._changed.notify_all()
        if untold:
            self._writer.write([_told(self.name, untold)])

    def _redacted(self, lines: list[bytes]) -> list[bytes]:
        """The batch is looked at once; only where something is masked, line by line."""
        if not self._mask(b"".join(lines)).masked:
            return lines
        clean: list[bytes] = []
        for line in lines:
            text, masked = self._mask(line)
            self._masked += masked
            clean.append(_still_json(text) if masked and line.startswith(b"{") else text)
        return clean


def _still_json(line: bytes) -> bytes:
    """A line whose masking broke its JSON (a number masked as a secret) is kept as one string."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.encode({"unstructured": line.decode(errors="replace")}) + b"\n"
    return line


def _told(name: str, count: int) -> bytes:
    told = {"level": Level.WARN.word, "event": "log_entries_lost", "sink": name, "count": count}
    return msgspec.json.encode(told) + b"\n"
