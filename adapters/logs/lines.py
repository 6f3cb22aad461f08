"""One entry as one line: JSON for programs, or words for a terminal, which it cannot steer."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

__all__ = ("json_line", "text_line")

_FIRST: Final = ("timestamp", "level", "event")
_ENCODER: Final = msgspec.json.Encoder(enc_hook=str)


def json_line(fields: Mapping[str, object]) -> bytes:
    """A JSON object and a line feed; what JSON does not know is shown as text."""
    try:
        return _ENCODER.encode(fields) + b"\n"
    except (UnicodeEncodeError, TypeError, ValueError):
        return json.dumps(fields, default=_plain, skipkeys=True).encode() + b"\n"


def text_line(fields: Mapping[str, object]) -> bytes:
    """When, how much it matters, what, and the rest as `name=value`; ASCII without controls."""
    first = (_plain(fields.get(name, "")) for name in _FIRST)
    rest = (
        f"{name}={json.dumps(value, default=_plain, skipkeys=True)}"
        for name, value in fields.items()
        if name not in _FIRST
    )
    words = " ".join((*first, *rest))
    shown = "".join(letter if letter.isprintable() else " " for letter in words)
    return shown.encode(errors="backslashreplace") + b"\n"


def _plain(value: object) -> str:
    """A time as RFC 3339 says it, as in a JSON line; anything else as its text."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)
