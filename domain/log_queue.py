"""What a log sink takes while it is behind: bounds, a share kept for what matters, and counts.

Who logs never waits: an entry is taken or refused at once. What has been taken is never evicted, so
that a low level is shed while there is still room for a warning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple, Self

__all__ = (
    "BATCH_ENTRIES",
    "CONSOLE_QUEUE",
    "DRAIN_SECONDS",
    "ENTRY_BYTES",
    "FILE_QUEUE",
    "Bounds",
    "Level",
    "LossReason",
    "Lost",
    "refusal",
    "zero_losses",
)

ENTRY_BYTES = 256 * 1024
"""The longest entry, encoded, its line feed included."""

DRAIN_SECONDS = 2.0
"""How long all sinks together may write on when the process ends."""

BATCH_ENTRIES = 512
"""Entries that are written at once."""


class Level(IntEnum):
    """How much an entry matters; `word` is as it stands in a log."""

    word: str

    DEBUG = 10, "debug"
    INFO = 20, "info"
    WARN = 30, "warn"
    ERROR = 40, "error"
    FATAL = 50, "fatal"

    def __new__(cls, value: int, word: str) -> Self:
        level = int.__new__(cls, value)
        level._value_ = value
        level.word = word
        return level


class LossReason(StrEnum):
    """Why an entry is not in the log."""

    CAPACITY = "capacity"
    RESERVED_CAPACITY = "reserved_capacity"
    ENTRY_TOO_LARGE = "entry_too_large"
    WRITE_ERROR = "write_error"
    SHUTDOWN_TIMEOUT = "shutdown_timeout"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a queue holds, what is being written included, and how much of it is for warnings up."""

    entries: int
    bytes: int
    reserved_entries: int
    reserved_bytes: int
    entry_bytes: int = ENTRY_BYTES

    @property
    def unreserved(self) -> tuple[int, int]:
        """Entries and bytes that any level may fill."""
        return self.entries - self.reserved_entries, self.bytes - self.reserved_bytes


FILE_QUEUE = Bounds(8192, 8 * 1024 * 1024, 2048, 2 * 1024 * 1024)
CONSOLE_QUEUE = Bounds(2048, 2 * 1024 * 1024, 512, 512 * 1024)


class Lost(NamedTuple):
    level: Level
    reason: LossReason


def refusal(
    bounds: Bounds, entries: int, held: int, level: Level, size: int, *, closing: bool = False
) -> LossReason | None:
    """Why an entry of `size` bytes is refused; None when it is taken.

    `entries` with `held` bytes are there already, what is being written included.
    """
    if size > bounds.entry_bytes:
        return LossReason.ENTRY_TOO_LARGE
    if closing:
        return LossReason.SHUTDOWN_TIMEOUT
    free_entries, free_bytes = bounds.unreserved
    if entries < free_entries and held + size <= free_bytes:
        return None
    if entries >= bounds.entries or held + size > bounds.bytes:
        return LossReason.CAPACITY
    return LossReason.RESERVED_CAPACITY if level < Level.WARN else None


def zero_losses() -> dict[Lost, int]:
    """A count of nothing for every level and reason."""
    return dict.fromkeys(_all_losses(), 0)


def _all_losses() -> Iterator[Lost]:
    for level in Level:
        for reason in LossReason:
            yield Lost(level, reason)
