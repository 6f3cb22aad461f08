"""Secrets out of what an agent said, before it is written anywhere."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from domain.redaction import MASK, Redactor, Surface

__all__ = ("clean_event", "evidence")

_ENCODER: Final = msgspec.json.Encoder()


def clean_event(encoded: bytes, redactor: Redactor) -> bytes:
    """A JSON text without its secrets, still JSON; one without a secret comes back as it is."""
    redacted = redactor.redact(encoded, Surface.TRANSCRIPT)
    if not redacted.masked:
        return encoded
    try:
        msgspec.json.decode(redacted.text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The mask took a quote with it: mask the strings instead, one by one.
        cleaned = _ENCODER.encode(_strings(msgspec.json.decode(encoded), redactor))
        return cleaned if not _shows(cleaned, redactor) else _ENCODER.encode({"redacted": MASK})
    return redacted.text


def evidence(line: bytes, width: int, redactor: Redactor) -> str:
    """The first `width` characters of a line; what the cut would split is masked before it."""
    text = line[: 8 * width].decode("utf-8", "replace")
    return redactor.redact(text, Surface.EVIDENCE).text[:width]


def _shows(encoded: bytes, redactor: Redactor) -> bool:
    return bool(redactor.redact(encoded, Surface.TRANSCRIPT).masked)


def _strings(value: Any, redactor: Redactor) -> Any:  # any JSON
    match value:
        case str():
            return redactor.redact(value, Surface.TRANSCRIPT).text
        case list():
            return [_strings(each, redactor) for each in value]
        case Mapping():
            return {
                redactor.redact(name, Surface.TRANSCRIPT).text: _strings(each, redactor)
                for name, each in value.items()
            }
        case _:
            return value
