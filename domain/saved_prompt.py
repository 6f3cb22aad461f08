"""Saved prompts: texts of a workspace that are used again, with places that arguments fill.

A place is `{{name}}`. Places are filled once: what an argument brings in is text, whatever it says.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from domain.identity import PromptId, WorkspaceId
from domain.outcome import Failure, Result, Success
from domain.task import MAX_PROMPT_BYTES

__all__ = (
    "MAX_ARGUMENTS",
    "MAX_DESCRIPTION",
    "MAX_FILLED_BYTES",
    "MAX_PROMPT_NAME",
    "MAX_TEXT_BYTES",
    "PromptArgument",
    "PromptFault",
    "PromptText",
    "SavedPrompt",
    "Unfillable",
    "UnfillableWhy",
    "UnstorablePrompt",
    "check",
    "fill",
    "is_name",
)

MAX_PROMPT_NAME: Final = 64
MAX_DESCRIPTION: Final = 500
"""Characters."""
MAX_TEXT_BYTES: Final = 64 * 1024
MAX_FILLED_BYTES: Final = MAX_PROMPT_BYTES
"""The largest text that filling may come to: it is to be a prompt."""
MAX_ARGUMENTS: Final = 16

_NAME: Final = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{MAX_PROMPT_NAME - 1}}}")
_ARGUMENT: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PLACE: Final = re.compile(r"\{\{([a-z][a-z0-9_]{0,63})\}\}")


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """One that is not required fills its places with nothing when it is not given."""

    name: str
    description: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class PromptText:
    """What a user writes of a saved prompt."""

    name: str
    text: str
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedPrompt:
    """`version` grows with every write and is compared when two writers meet."""

    id: PromptId
    workspace: WorkspaceId
    written: PromptText
    created_at: datetime
    version: int = 0


class PromptFault(StrEnum):
    NAME = "name"
    DESCRIPTION = "description"
    TEXT = "text"
    ARGUMENTS = "arguments"
    """Too many, one that is named twice or cannot be named so, or a description too long."""
    UNKNOWN_ARGUMENT = "unknown_argument"
    """The text has a place that no argument fills."""


@dataclass(frozen=True, slots=True)
class UnstorablePrompt:
    fault: PromptFault


class UnfillableWhy(StrEnum):
    MISSING = "missing"
    UNKNOWN = "unknown"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True)
class Unfillable:
    """The arguments that are `MISSING` or that the prompt does not have, by name."""

    why: UnfillableWhy
    arguments: tuple[str, ...] = ()


def is_name(text: str) -> bool:
    """Names are words of a command line: lower case, digits, `-` and `_`."""
    return _NAME.fullmatch(text) is not None


def check(written: PromptText) -> Result[PromptText, UnstorablePrompt]:
    fault = _fault(written)
    return Success(written) if fault is None else Failure(UnstorablePrompt(fault))


def _fault(written: PromptText) -> PromptFault | None:
    if not is_name(written.name):
        return PromptFault.NAME
    if not _describes(written.description):
        return PromptFault.DESCRIPTION
    if not written.text.strip() or _size(written.text) > MAX_TEXT_BYTES:
        return PromptFault.TEXT
    names = [each.name for each in written.arguments]
    named = len(set(names)) == len(names) <= MAX_ARGUMENTS
    if not named or not all(map(_is_usable, written.arguments)):
        return PromptFault.ARGUMENTS
    places = set(_PLACE.findall(written.text))
    return None if places.issubset(names) else PromptFault.UNKNOWN_ARGUMENT


def _is_usable(argument: PromptArgument) -> bool:
    return _ARGUMENT.fullmatch(argument.name) is not None and _describes(argument.description)


def _describes(text: str) -> bool:
    return len(text) <= MAX_DESCRIPTION and all(each.isprintable() for each in text)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def fill(written: PromptText, given: Mapping[str, str]) -> Result[str, Unfillable]:
    """The text with what was given in its places."""
    known = {each.name for each in written.arguments}
    unknown = sorted(set(given) - known)
    if unknown:
        return Failure(Unfillable(UnfillableWhy.UNKNOWN, tuple(unknown)))
    missing = sorted(
        each.name for each in written.arguments if each.required and each.name not in given
    )
    if missing:
        return Failure(Unfillable(UnfillableWhy.MISSING, tuple(missing)))
    pieces = _PLACE.split(written.text)
    sizes = {name: _size(text) for name, text in given.items()}
    size = _size("".join(pieces[::2])) + sum(sizes.get(name, 0) for name in pieces[1::2])
    if size > MAX_FILLED_BYTES:
        return Failure(Unfillable(UnfillableWhy.TOO_LARGE))
    return Success("".join(_filled(pieces, given)))


def _filled(pieces: Sequence[str], given: Mapping[str, str]) -> list[str]:
    return [given.get(piece, "") if number % 2 else piece for number, piece in enumerate(pieces)]
