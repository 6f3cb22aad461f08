"""Lines out of the pieces in which a pipe delivers them, each within a bound."""

from typing import Final

__all__ = ("LineTooLongError", "Lines", "split")

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

    def feed(self, data: bytes) -> bytes:
        """The whole lines that `data` completes, with their breaks. Raises `LineTooLongError`."""
        end = data.rfind(_BREAK) + 1
        if not end:
            self._keep(data, b"")
            return b""
        block = b"".join([*self._pending, data[:end]])
        self._pending, self._size = [], 0
        if len(block) > self._limit:
            # Only then can one of them be too long.
            self._check(block)
        self._keep(data[end:], block)
        return block

    def rest(self) -> bytes:
        """What is left at the end of the stream, a line without its break."""
        rest = b"".join(self._pending)
        self._pending, self._size = [], 0
        return rest

    def _check(self, block: bytes) -> None:
        lines = split(block)
        for position, line in enumerate(lines):
            if len(line) > self._limit:
                raise LineTooLongError(lines[:position])

    def _keep(self, piece: bytes, block: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise LineTooLongError(split(block))
        if piece:
            self._pending.append(piece)


def split(block: bytes) -> list[bytes]:
    """Whole lines, without their breaks."""
    return block.split(_BREAK)[:-1]
