"""One entry as one line: JSON for programs, or words for a terminal, which it cannot steer."""

import json
from collections.abc import Mapping
from typing import Final

import msgspec

__all__ = ("json_line", "text_line")

_FIRST: Final = ("timestamp", "level", "event")


def json_line(fields: Mapping[str, object]) -> bytes:
    """A JSON object and a line feed; what JSON does not know is shown as text."""
    try:
        return msgspec.json.encode(fields, enc_hook=str) + b"\n"
    except (UnicodeEncodeError, TypeError, ValueError):
        return json.dumps(fields, default=str, skipkeys=True).encode() + b"\n"


def text_line(fields: Mapping[str, object]) -> bytes:
    """When, how much it matters, what, and the rest as `name=value`; ASCII without controls."""
    first = (str(fields.get(name, "")) for name in _FIRST)
    rest = (
        f"{name}={json.dumps(value, default=str, skipkeys=True)}"
        for name, value in fields.items()
        if name not in _FIRST
    )
    words = " ".join((*first, *rest))
    shown = "".join(letter if letter.isprintable() else " " for letter in words)
    return shown.encode(errors="backslashreplace") + b"\n"
