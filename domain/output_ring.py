"""The newest bytes of an output that never ends: bounded, each byte with a number that stays its.

Whoever asks for what comes after a number is given it in order, and is told when something before
it is gone.
"""

from typing import Final, NamedTuple

__all__ = ("OutputRing", "Piece")

_CONTINUATION: Final = range(0x80, 0xC0)
_MAX_CONTINUATIONS: Final = 3
_LONG_CHARACTER: Final = 0xC0


class Piece(NamedTuple):
    """Bytes from `begin` up to `end`, which is what to ask after next; no character is cut in two.

    `begin` is more than what was asked after when what lay between is gone.
    """

    begin: int
    end: int
    data: bytes


class OutputRing:
    """Holds the last `bound` bytes. `end` counts every byte that was ever added."""

    __slots__ = ("_bound", "_data", "end")

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._data = bytearray()
        self.end = 0

    @property
    def begin(self) -> int:
        """The number of the first byte that is still here."""
        return self.end - len(self._data)

    def add(self, data: bytes) -> None:
        self.end += len(data)
        self._data += data[-self._bound :]
        del self._data[: -self._bound]

    def read(self, after: int, limit: int, *, whole: bool) -> Piece:
        """At most `limit` bytes after the first `after`; `whole` when no more will be added.

        While more may come, the beginning of a character waits for its rest.
        """
        start = min(max(after, self.begin), self.end) - self.begin
        stop = min(start + limit, len(self._data))
        for _ in range(_MAX_CONTINUATIONS):
            if start < stop and start + self.begin > after and self._continues(start):
                start += 1
        if stop < len(self._data) or not whole:
            stop = max(start, self._before_cut(stop))
        return Piece(self.begin + start, self.begin + stop, bytes(self._data[start:stop]))

    def _continues(self, index: int) -> bool:
        return self._data[index] in _CONTINUATION

    def _before_cut(self, stop: int) -> int:
        """Where the last whole character ends, as UTF-8 has it (RFC 3629)."""
        for back in range(1, min(_MAX_CONTINUATIONS + 1, stop) + 1):
            lead = self._data[stop - back]
            if lead in _CONTINUATION:
                continue
            length = 1 if lead < _LONG_CHARACTER else 2 + (lead >= 0xE0) + (lead >= 0xF0)
            return stop - back if length > back else stop
        return stop
