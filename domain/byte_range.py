"""One range of bytes, as a client asks for it (RFC 9110, section 14).

More ranges than one, another unit, or what is none, is answered as if nothing was asked; a
conditional range (`If-Range`) holds only for the very same strong entity tag.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ("MAX_DIGITS", "Span", "Whole", "asked_span", "is_current")

MAX_DIGITS: Final = 19
"""Digits of a position at most; a header with more is as if nothing was asked."""

_POSITION: Final = rf"(\d{{0,{MAX_DIGITS}}})"
_RANGE: Final = re.compile(rf"bytes=[ \t]*{_POSITION}-{_POSITION}[ \t]*", re.ASCII | re.IGNORECASE)


class Span(NamedTuple):
    """From `start` up to `stop`, at least one byte."""

    start: int
    stop: int


class Whole(StrEnum):
    """What is answered where no span is."""

    ALL = "all"
    UNSATISFIABLE = "unsatisfiable"


def asked_span(header: str | None, if_range: str | None, etag: str, length: int) -> Span | Whole:
    """What of `length` bytes the headers `Range` and `If-Range` ask for."""
    if header is None or (if_range is not None and if_range.strip() != etag):
        return Whole.ALL
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.groups() == ("", ""):
        return Whole.ALL
    first, last = match.groups()
    if not first:
        start, stop = max(0, length - int(last)), length
    else:
        start = int(first)
        stop = min(length, int(last) + 1) if last else length
        if last and int(last) < start:
            return Whole.ALL
    return Span(start, stop) if start < stop else Whole.UNSATISFIABLE


def is_current(if_none_match: str | None, etag: str) -> bool:
    """Whether the client has what `etag` names already."""
    if if_none_match is None:
        return False
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return etag in tags or "*" in tags
