"""The machine's clocks."""

import time
from datetime import UTC, datetime

__all__ = ("SystemClock",)


class SystemClock:
    __slots__ = ()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
