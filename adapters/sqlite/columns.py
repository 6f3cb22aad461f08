"""How values lie in columns: instants as text that sorts, JSON as text in ASCII."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from domain.event import Json

__all__ = (
    "from_json",
    "from_text",
    "maybe_from_text",
    "maybe_to_text",
    "members",
    "to_json",
    "to_text",
)

Member = TypeVar("Member", bound=StrEnum)

_COMPACT = json.JSONEncoder(separators=(",", ":")).encode


def members(kind: type[Member]) -> Mapping[str, Member]:
    """The members of a closed set by their values; faster than asking the class for one."""
    return {member.value: member for member in kind}


def to_text(at: datetime) -> str:
    """An aware instant; one without an offset is a mistake of ours."""
    if at.tzinfo is None:
        raise ValueError("an instant has an offset")
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def from_text(text: str) -> datetime:
    return datetime.fromisoformat(text)


def maybe_to_text(at: datetime | None) -> str | None:
    return None if at is None else to_text(at)


def maybe_from_text(text: str | None) -> datetime | None:
    return None if text is None else from_text(text)


def to_json(value: Json) -> str:
    """Every string survives, lone surrogates too: they are escaped."""
    return _COMPACT(value)


def from_json(text: str) -> Json:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("the column holds a JSON object")
    return value
