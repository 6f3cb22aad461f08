"""Whether a control plane is there: somebody who proved to know the key, and since when nobody."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ("Presence",)


class Presence:
    """Counts requests under way, streams and the relay among them. `monotonic` is in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._here = 0
        self._left = monotonic()

    @contextmanager
    def here(self) -> Iterator[None]:
        """For as long as a request lasts."""
        self._here += 1
        try:
            yield
        finally:
            self._here -= 1
            self._left = self._monotonic()

    @property
    def alone_for(self) -> float:
        """Seconds since the last request ended; none while one is under way."""
        return 0.0 if self._here else self._monotonic() - self._left
