"""Fresh names and fresh randomness."""

from typing import Protocol

__all__ = ("Ids",)


class Ids(Protocol):
    def new(self, prefix: str) -> str:
        """An id never given before, `<prefix>_` and at least 80 random bits; sorts by time."""
        ...

    def random(self, length: int) -> bytes:
        """Bytes fit for a key or a token."""
        ...
