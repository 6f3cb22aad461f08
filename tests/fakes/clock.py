"""A clock that stands still until it is told to move."""

from datetime import UTC, datetime, timedelta

__all__ = ("ManualClock",)


class ManualClock:
    def __init__(self, now: datetime = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) -> None:
        self._now = now
        self._seconds = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._seconds

    def advance(self, by: timedelta) -> None:
        """Move both clocks on."""
        self._now += by
        self._seconds += by.total_seconds()

    def set_wall(self, now: datetime) -> None:
        """Set the wall clock, as a user or NTP does; the monotonic one does not notice."""
        self._now = now
