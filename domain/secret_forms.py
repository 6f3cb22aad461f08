"""The forms under which a secret may appear in text, as byte strings to look for.

A secret leaks as it is, inside a base64 text that starts before it (`user:password`), in a URL, or
escaped inside a JSON or Python literal, which may lie inside another as in a log that quotes JSON.
base64 hides it at one of three alignments (RFC 4648 section 4); what an alignment fixes is every
sextet whose six bits all come from the secret.
"""

import base64
import json
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, quote_plus

__all__ = ("LITERALS", "MIN_VALUE_BYTES", "PIECE_CHARACTERS", "Needle", "flatten", "needles")

MIN_VALUE_BYTES = 8
"""A shorter value is not looked for: it would tear ordinary text to pieces."""

PIECE_CHARACTERS = 1024
"""A longer line of a secret is looked for in pieces of this size, so that no form is unbounded."""

LITERALS = 3
"""How many literals may lie one inside the other."""

_FLAT = bytes.maketrans(b"-_", b"+/")
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_ENCODE_URI_COMPONENT = "!~*'()"
_PUBLIC_LINES = ("-----BEGIN ", "-----END ")


class Needle(NamedTuple):
    """A flat byte string, and whether the byte on either side carries bits of the secret too."""

    text: bytes
    before: bool = False
    after: bool = False

    def span(self, flat: bytes, start: int) -> tuple[int, int]:
        """What to mask when the needle stands at `start` of `flat`."""
        end = start + len(self.text)
        leading = self.before and start > 0 and flat[start - 1] in _BASE64
        trailing = self.after and end < len(flat) and flat[end] in _BASE64
        return start - leading, end + trailing


def flatten(text: bytes) -> bytes:
    """Make both alphabets of base64 one, byte for byte: `-` is `+` and `_` is `/`."""
    return text.translate(_FLAT)


def needles(value: str) -> tuple[Needle, ...]:
    """Every form of every line of `value`; empty when no line has the minimum length.

    A secret of several lines (a private key) is printed line by line, and its encodings contain
    the encodings of its lines, so no needle spans a line break.
    """
    pieces = dict.fromkeys(
        piece
        for line in map(str.strip, value.splitlines())
        if not line.startswith(_PUBLIC_LINES)
        for piece in _pieces(line)
        if len(_encoded(piece)) >= MIN_VALUE_BYTES
    )
    return tuple(dict.fromkeys(form for piece in pieces for form in _forms(piece)))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _pieces(line: str) -> Iterator[str]:
    """Cut from the start, but the last piece from the end, so that it is never a short rest."""
    for start in range(0, len(line), PIECE_CHARACTERS):
        end = min(start + PIECE_CHARACTERS, len(line))
        yield line[max(0, end - PIECE_CHARACTERS) : end]


def _forms(value: str) -> Iterator[Needle]:
    raw = _encoded(value)
    urls = (
        quote(raw, safe=""),
        quote(raw),
        quote(raw, safe=_ENCODE_URI_COMPONENT),
        quote_plus(raw),
        "".join(f"%{byte:02X}" for byte in raw),
    )
    for form in (*_literals(value), *urls, *map(_lower_hex, urls)):
        yield Needle(flatten(_encoded(form)))
    for alignment in range(3):
        yield _base64(raw, alignment)


def _literals(value: str) -> tuple[str, ...]:
    """The value, and how it is escaped in up to `LITERALS` literals."""
    found = {value: None}
    last = found
    for _ in range(LITERALS):
        last = {form: None for text in last for form in _quoted(text) if form not in found}
        found |= last
    return tuple(found)


def _quoted(text: str) -> tuple[str, ...]:
    literals = (json.dumps(text, ensure_ascii=False), json.dumps(text), repr(text))
    return tuple(literal[1:-1] for literal in literals)


def _lower_hex(url: str) -> str:
    first, *rest = url.split("%")
    return "%".join((first, *(part[:2].lower() + part[2:] for part in rest)))


def _base64(value: bytes, alignment: int) -> Needle:
    encoded = base64.b64encode(bytes(alignment) + value)
    bits = 8 * (alignment + len(value))
    first = -(-8 * alignment // 6)
    return Needle(encoded[first : bits // 6], before=alignment > 0, after=bits % 6 > 0)
