"""Secrets out of text, before any sink: by registered value in every form, and by shape.

One redactor serves logs, stored events, errors, tails of stderr and bundles. What it masks is
replaced by `MASK` and counted. Matching is linear in the text whatever is registered: every fourth
word of four bytes is looked up, and only a hit is compared. Text is seen as UTF-8 bytes, so that
`str` and `bytes` give the same answer.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import AnyStr, Generic, NamedTuple

from domain.outcome import Failure, Result, Success
from domain.secret import Secret
from domain.secret_forms import Needle, flatten, needles
from domain.secret_shapes import SHAPES, Surface

__all__ = ("MASK", "MAX_VALUES", "Redacted", "Redactor", "Surface", "Unredactable")

MASK = "[REDACTED]"

MAX_VALUES = 16_384
"""Distinct values held at once; whoever issues one more must not issue it."""

_WORD = 4
_WINDOW = 2 * _WORD - 1
"""Wherever a window of this length stands, one word at a multiple of four lies inside it."""

_BLOCK = 64 * 1024
"""Bytes whose words are unpacked at once: what a long text costs in memory beyond itself."""


class Unredactable(StrEnum):
    """Why a value cannot be looked for."""

    TOO_SHORT = "too_short"
    TOO_MANY = "too_many"


class Span(NamedTuple):
    """What to mask, and from where on the text was needed to see it."""

    begin: int
    end: int
    anchor: int


class Redacted(NamedTuple, Generic[AnyStr]):
    """Text without its secrets, and how many places were masked."""

    text: AnyStr
    masked: int


class Redactor:
    """Holds the values that must never be seen; the one thing in the domain that remembers.

    One thread registers and forgets; any thread may redact meanwhile, with the value or without.
    """

    __slots__ = ("_longest", "_needles", "_uses")

    def __init__(self) -> None:
        self._uses: dict[Secret, int] = {}
        self._needles: dict[int, tuple[Needle, ...]] = {}
        self._longest = 0

    @property
    def longest(self) -> int:
        """The length in bytes of the longest form ever registered, with its neighbours."""
        return self._longest

    def register(self, value: Secret) -> Result[None, Unredactable]:
        """Look for `value` from now on, until it was forgotten as often as it was registered."""
        if value in self._uses:
            self._uses[value] += 1
            return Success(None)
        forms = _forms(value)
        if not forms:
            return Failure(Unredactable.TOO_SHORT)
        if len(self._uses) >= MAX_VALUES:
            return Failure(Unredactable.TOO_MANY)
        self._uses[value] = 1
        for needle in forms:
            self._longest = max(self._longest, len(needle.text) + 2)
            for word in _words(needle):
                self._needles[word] = (*self._needles.get(word, ()), needle)
        return Success(None)

    def forget(self, value: Secret) -> None:
        """Take back one registration; a value that is not registered is none of ours."""
        uses = self._uses.get(value, 0)
        if uses > 1:
            self._uses[value] = uses - 1
            return
        if self._uses.pop(value, None) is None:
            return
        for needle in _forms(value):
            for word in _words(needle):
                self._withdraw(word, needle)

    def redact(self, text: AnyStr, surface: Surface = Surface.EVIDENCE) -> Redacted[AnyStr]:
        """Mask every secret in `text`; text without one comes back as the same object."""
        if isinstance(text, bytes):
            spans = self.spans(text, surface)
            return Redacted(mask(text, spans), len(spans)) if spans else Redacted(text, 0)
        encoded = text.encode("utf-8", "surrogatepass")
        spans = self.spans(encoded, surface)
        if not spans:
            return Redacted(text, 0)
        return Redacted(mask(encoded, spans).decode("utf-8", "surrogatepass"), len(spans))

    def spans(self, data: bytes, surface: Surface, start: int = 0) -> tuple[Span, ...]:
        """What to mask at or after `start`, in order, none touching another."""
        found = [*self._values(data), *_shapes(data, surface, start)]
        if not found:
            return ()
        merged: list[Span] = []
        for span in sorted(found):
            if span.end <= start:
                continue
            if merged and span.begin <= merged[-1].end:
                last = merged.pop()
                anchor = min(last.anchor, span.anchor)
                merged.append(Span(last.begin, max(last.end, span.end), anchor))
            else:
                merged.append(Span(max(start, span.begin), span.end, max(start, span.anchor)))
        return tuple(merged)

    def _values(self, data: bytes) -> Iterator[Span]:
        if not self._needles:
            return
        flat = flatten(data)
        view = memoryview(flat)[: len(flat) // _WORD * _WORD].cast("I")
        step = _BLOCK // _WORD
        for block in range(0, len(view), step):
            words = view[block : block + step].tolist()
            if self._needles.keys().isdisjoint(words):
                continue
            for index, word in enumerate(words):
                for needle in self._needles.get(word, ()):
                    yield from _occurrences(needle, flat, (block + index) * _WORD)

    def _withdraw(self, word: int, needle: Needle) -> None:
        kept = list(self._needles.get(word, ()))
        kept.remove(needle)
        if kept:
            self._needles[word] = tuple(kept)
        else:
            del self._needles[word]


def mask(data: bytes, spans: tuple[Span, ...]) -> bytes:
    """Replace each span by the mask."""
    kept: list[bytes] = []
    at = 0
    for span in spans:
        kept.append(data[at : span.begin])
        at = span.end
    return MASK.encode().join((*kept, data[at:]))


def _forms(value: Secret) -> tuple[Needle, ...]:
    """What to look for; the mask itself never holds a secret."""
    return tuple(form for form in needles(value.reveal()) if form.text not in MASK.encode())


def _middle(needle: Needle) -> int:
    return (len(needle.text) - _WINDOW) // 2


def _words(needle: Needle) -> set[int]:
    """The words of the window in its middle: families of secrets share how they begin and end."""
    start = _middle(needle)
    window = needle.text[start : start + _WINDOW]
    return {
        memoryview(window[offset : offset + _WORD]).cast("I")[0]
        for offset in range(_WINDOW - _WORD + 1)
    }


def _occurrences(needle: Needle, flat: bytes, word: int) -> Iterator[Span]:
    """Where the needle stands such that one of its four words is the one at `word`."""
    last = word - _middle(needle)
    for start in range(max(0, last - _WORD + 1), last + 1):
        if flat.startswith(needle.text, start):
            begin, end = needle.span(flat, start)
            yield Span(begin, end, begin)


def _shapes(data: bytes, surface: Surface, start: int) -> Iterator[Span]:
    text = data.decode("latin-1")
    lowered = text.lower()
    for trigger, pattern in SHAPES[surface]:
        if trigger in lowered:
            for match in pattern.finditer(text, start):
                begin, end = match.span(match.lastindex or 0)
                yield Span(begin, end, match.start())
