"""Redaction of a stream that arrives in chunks, wherever they are cut.

What comes out is what redacting the whole would give. A finished line comes out at once; of an
unfinished one, only what can no longer become part of a secret. Memory is bounded by twice
`HELD_BYTES` and the last chunk.
"""

import re

from domain.redaction import Redactor, Span, Surface, mask
from domain.secret_shapes import LOOKBEHIND, REACH

__all__ = ("HELD_BYTES", "ByteStream", "TextStream")

HELD_BYTES = 32 * 1024
"""A masked place longer than this is masked on, unread, to the next white space or quote."""

_END_OF_MASKED = re.compile(rb"[\s\"']")
_CONTINUATION = range(0x80, 0xC0)
_MAX_CONTINUATIONS = 3


class ByteStream:
    """Feed chunks, then close; `masked` counts the places masked so far."""

    __slots__ = ("_data", "_enough", "_inside", "_redactor", "_seen", "_surface", "masked")

    def __init__(self, redactor: Redactor, surface: Surface = Surface.EVIDENCE) -> None:
        self._redactor = redactor
        self._surface = surface
        self._data = b""
        self._seen = 0
        self._enough = 0
        self._inside = False
        self.masked = 0

    def feed(self, chunk: bytes) -> bytes:
        """Take a chunk and give what is decided by now, perhaps nothing."""
        self._data += self._outside(chunk)
        if len(self._data) < self._enough and b"\n" not in chunk:
            return b""
        spans = self._redactor.spans(self._data, self._surface, self._seen)
        cut = self._cut(spans)
        held = next((span for span in spans if span.anchor == cut), None)
        if held is not None and len(self._data) - cut > HELD_BYTES:
            cut = held.end
            self._inside = cut == len(self._data)
        out = self._emit(spans, cut)
        self._enough = 2 * len(self._data)
        return out

    def close(self) -> bytes:
        """Give the rest; the stream has ended."""
        return self._emit(
            self._redactor.spans(self._data, self._surface, self._seen), len(self._data)
        )

    def _outside(self, chunk: bytes) -> bytes:
        if not self._inside:
            return chunk
        end = _END_OF_MASKED.search(chunk)
        self._inside = end is None
        return chunk[end.start() :] if end else b""

    def _cut(self, spans: tuple[Span, ...]) -> int:
        """Up to where no later byte can change the answer."""
        hold = max(self._redactor.longest, REACH)
        cut = max(self._seen, len(self._data) - hold, self._data.rfind(b"\n") + 1)
        for _ in range(_MAX_CONTINUATIONS):
            if self._seen < cut < len(self._data) and self._data[cut] in _CONTINUATION:
                cut -= 1
        for span in reversed(spans):
            if span.anchor < cut <= span.end:
                cut = span.anchor
        return cut

    def _emit(self, spans: tuple[Span, ...], cut: int) -> bytes:
        decided = tuple(span for span in spans if span.end <= cut)
        self.masked += len(decided)
        out = mask(self._data[:cut], decided)[self._seen :]
        context = min(LOOKBEHIND, cut)
        self._data = self._data[cut - context :]
        self._seen = context
        return out


class TextStream:
    """The same over text."""

    __slots__ = ("_bytes",)

    def __init__(self, redactor: Redactor, surface: Surface = Surface.EVIDENCE) -> None:
        self._bytes = ByteStream(redactor, surface)

    @property
    def masked(self) -> int:
        return self._bytes.masked

    def feed(self, chunk: str) -> str:
        return _text(self._bytes.feed(chunk.encode("utf-8", "surrogatepass")))

    def close(self) -> str:
        return _text(self._bytes.close())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
