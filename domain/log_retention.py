"""Daily log files: their names, when one ends, which ones go, and how a rollover is finished.

A day is a UTC day. The file of today has a plain name; a marker beside it says its day, because a
copy or a touch changes the time of a file. A day's file is never overwritten: it is made by
renaming, or appended to under a journal that says from where.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

__all__ = (
    "ACTIVE_NAME",
    "DAILY_BYTES",
    "KEPT_DAYS",
    "MARKER_NAME",
    "REOPEN_AFTER",
    "Turn",
    "active_day",
    "candidates",
    "dated_name",
    "day_of",
    "expired",
    "fits",
    "parse_dated",
    "turn",
)

ACTIVE_NAME = "backend-logs.log"
MARKER_NAME = ".backend-logs-day"

DAILY_BYTES = 256 * 1024 * 1024
"""What one day may hold; what would pass it is refused until the next day."""

KEPT_DAYS = 2
"""Days kept besides today."""

REOPEN_AFTER = timedelta(seconds=30)
"""How long after a failure the file is tried again."""

_DATED = re.compile(r"backend-logs-([0-9]{4}-[0-9]{2}-[0-9]{2})\.log")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Turn(StrEnum):
    """What the clock says to the file of a day."""

    SAME = "same"
    NEXT = "next"
    BACKWARDS = "backwards"
    """The clock was set back: the file keeps its day, so that no day gets two files."""


def day_of(now: datetime) -> date:
    """The UTC day of an aware time."""
    return now.astimezone(UTC).date()


def dated_name(day: date) -> str:
    return f"backend-logs-{day.isoformat()}.log"


def parse_dated(name: str) -> date | None:
    """The day of a dated file; None for every other name."""
    match = _DATED.fullmatch(name)
    return _date(match[1]) if match else None


def active_day(marker: str | None, modified: datetime | None, today: date) -> date:
    """The day of the active file: by its marker, else by when it was `modified`.

    Without an active file (`modified` is None) it is today's, whatever marker was left.
    """
    if modified is None:
        return today
    marked = marker.strip() if marker is not None else ""
    day = _date(marked) if _DAY.fullmatch(marked) else None
    return day_of(modified) if day is None else day


def turn(day: date, today: date) -> Turn:
    """Whether the file of `day` has ended."""
    if today == day:
        return Turn.SAME
    return Turn.NEXT if today > day else Turn.BACKWARDS


def fits(size: int, length: int, bound: int = DAILY_BYTES) -> bool:
    """Whether a file of `size` bytes takes `length` more; to fill it exactly is allowed."""
    return size + length <= bound


def candidates(day: date) -> tuple[str, ...]:
    """The files that are evidence while the active one is that of `day`, newest first."""
    before = (day - timedelta(days=back) for back in range(1, KEPT_DAYS + 1))
    return (ACTIVE_NAME, *map(dated_name, before))


def expired(names: Iterable[str], today: date) -> tuple[str, ...]:
    """Of the names in the folder those to remove: dated, of a real day, and too old."""
    oldest = today - timedelta(days=KEPT_DAYS)
    days = ((name, parse_dated(name)) for name in names)
    return tuple(sorted(name for name, day in days if day is not None and day < oldest))


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
