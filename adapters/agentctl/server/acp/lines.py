"""Lines out of the pieces in which a pipe delivers them, each within a bound."""

from typing import Final

__all__ = ("LineTooLongError", "Lines")

_BREAK: Final = b"\n"


class LineTooLongError(Exception):
    """A line went past the bound; what was read before it is in `lines`."""

    def __init__(self, lines: list[bytes]) -> None:
        super().__init__("a line is longer than the bound")
        self.lines = lines


class Lines:
    """Splits a stream; a line of any length costs time in proportion to its length."""

    __slots__ = ("_limit", "_pending", "_size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their breaks. Raises `LineTooLongError`."""
        first, *rest = data.split(_BREAK)
        if not rest:
            self._keep(first, [])
            return []
        self._keep(first, [])
        complete = [b"".join(self._pending)]
        self._pending, self._size = [], 0
        for line in rest[:-1]:
            if len(line) > self._limit:
                raise LineTooLongError(complete)
            complete.append(line)
        self._keep(rest[-1], complete)
        return complete

    def rest(self) -> bytes:
        """What is left at the end of the stream, a line without its break."""
        rest = b"".join(self._pending)
        self._pending, self._size = [], 0
        return rest

    def _keep(self, piece: bytes, complete: list[bytes]) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise LineTooLongError(complete)
        if piece:
            self._pending.append(piece)
