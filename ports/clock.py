"""Time, as an argument of everything above the domain."""

from datetime import datetime
from typing import Protocol

__all__ = ("Clock",)


class Clock(Protocol):
    def now(self) -> datetime:
        """The wall clock, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, for deadlines; meaningless across processes."""
        ...
