"""Names that count, and bytes that follow from a seed: the same in every run."""

import hashlib

__all__ = ("CountingIds",)


class CountingIds:
    def __init__(self, seed: str = "") -> None:
        self._seed = seed
        self._given = 0

    def new(self, prefix: str) -> str:
        self._given += 1
        return f"{prefix}_{self._seed}{self._given:06}"

    def random(self, length: int) -> bytes:
        """Never the same twice from one of these."""
        self._given += 1
        return hashlib.shake_256(f"{self._seed}:{self._given}".encode()).digest(length)
