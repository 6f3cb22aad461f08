"""Git's configuration in the environment: one ordered list, read exactly as git reads it.

`GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_<n>` and `GIT_CONFIG_VALUE_<n>` (git-config(1), ENVIRONMENT) are
one list, never three families of variables: it is parsed whole, composed whole and written whole.
What git accepts is accepted with git's meaning, within the bounds below; what git refuses is
refused before any process starts, by a problem that carries neither a key nor a value.
Text is `os.fsdecode`d: bytes that are not UTF-8 travel as surrogate escapes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from domain.outcome import Failure, Result, Success

__all__ = (
    "COUNT",
    "KEY_PREFIX",
    "MAX_BYTES",
    "MAX_ENTRIES",
    "MAX_TEXT_BYTES",
    "VALUE_PREFIX",
    "Entry",
    "MalformedGitConfig",
    "Reason",
    "bounded",
    "compose",
    "is_indexed",
    "overlap",
    "parse",
    "serialize",
    "size",
)

COUNT = "GIT_CONFIG_COUNT"
KEY_PREFIX = "GIT_CONFIG_KEY_"
VALUE_PREFIX = "GIT_CONFIG_VALUE_"

MAX_ENTRIES = 1_024
"""Entries of one block. Git looks every name up by a scan of the whole environment, so each command
reads a block in time that grows with its square: 25 ms at this bound, seconds at ten times it."""

MAX_BYTES = 256 * 1024
"""Bytes of one block as `execve` counts them, each `NAME=VALUE` with its NUL. Linux gives arguments
and environment 2 MiB together; git needs part of it again for each hook that it starts."""

MAX_TEXT_BYTES = 128 * 1024 - len(f"{VALUE_PREFIX}{MAX_ENTRIES - 1}=") - 1
"""Bytes of one key or value: Linux starts nothing with a longer `NAME=VALUE` (`MAX_ARG_STRLEN`)."""

_COUNT_GRAMMAR = re.compile(r"[ \t\n\v\f\r]*([+-]?)([0-9]+)")
_KEY_GRAMMAR = re.compile(
    r"(?:[A-Za-z0-9-]+(?:\.[^\n]*)?|\.[^\n]*)"  # section and subsection
    r"\.[A-Za-z][A-Za-z0-9-]*"  # variable
)
_INCLUDE = "include.path"
_INCLUDE_LENGTH = len(_INCLUDE)
_UNSIGNED_LONG = 2**64
_UNSIGNED_LONG_DIGITS = 20


def _names(count: int) -> tuple[tuple[str, str], ...]:
    """The names of the first `count` entries."""
    return tuple((f"{KEY_PREFIX}{index}", f"{VALUE_PREFIX}{index}") for index in range(count))


_NAMES = _names(MAX_ENTRIES)


class Entry(NamedTuple):
    """One key as it was spelled, and its value; a value may be empty, a key may repeat."""

    key: str
    value: str


class Reason(StrEnum):
    """What is wrong with a block."""

    BOGUS_COUNT = "bogus_count"
    TOO_MANY_ENTRIES = "too_many_entries"
    TOO_MANY_BYTES = "too_many_bytes"
    MISSING_KEY = "missing_key"
    MISSING_VALUE = "missing_value"
    EMPTY_KEY = "empty_key"
    NO_SECTION = "no_section"
    NO_VARIABLE = "no_variable"
    INVALID_KEY = "invalid_key"
    RELATIVE_INCLUDE = "relative_include"
    TOO_LONG = "too_long"
    UNREPRESENTABLE = "unrepresentable"
    """A NUL, or a surrogate that stands for no byte: no process can be given such text."""


@dataclass(frozen=True, slots=True)
class MalformedGitConfig:
    """Where a block is not what git accepts; `index` is None for the count and for a bound."""

    layer: str
    variable: str
    index: int | None
    reason: Reason


def is_indexed(name: str) -> bool:
    """Whether a variable belongs to the list, inside or beyond the count."""
    return name == COUNT or name.startswith((KEY_PREFIX, VALUE_PREFIX))


def parse(
    env: Mapping[str, str], layer: str = "environment"
) -> Result[tuple[Entry, ...], MalformedGitConfig]:
    """Read the list; without a count there is none, and what lies beyond the count is ignored."""
    count = _count(env.get(COUNT, ""))
    if isinstance(count, Reason):
        return Failure(MalformedGitConfig(layer, COUNT, None, count))

    entries: list[Entry] = []
    for index, (key_name, value_name) in enumerate(_NAMES[:count]):
        key, value = env.get(key_name), env.get(value_name)
        if key is None:
            return Failure(MalformedGitConfig(layer, key_name, index, Reason.MISSING_KEY))
        if value is None:
            return Failure(MalformedGitConfig(layer, value_name, index, Reason.MISSING_VALUE))
        if (reason := _key_fault(key)) is not None:
            return Failure(MalformedGitConfig(layer, key_name, index, reason))
        if (reason := _value_fault(key, value)) is not None:
            return Failure(MalformedGitConfig(layer, value_name, index, reason))
        entries.append(Entry(key, value))
    return bounded(tuple(entries), layer)


def bounded(
    entries: tuple[Entry, ...], layer: str
) -> Result[tuple[Entry, ...], MalformedGitConfig]:
    """Hold a list to the bounds, in the name of the layer that brought it to its size."""
    if len(entries) > MAX_ENTRIES:
        return Failure(MalformedGitConfig(layer, COUNT, None, Reason.TOO_MANY_ENTRIES))
    if size(entries) > MAX_BYTES:
        return Failure(MalformedGitConfig(layer, COUNT, None, Reason.TOO_MANY_BYTES))
    return Success(entries)


def compose(lower: Sequence[Entry], higher: Sequence[Entry]) -> tuple[Entry, ...]:
    """`lower`, then `higher`, less their overlap; nothing else is ever taken for a duplicate."""
    return (*lower, *higher[overlap(lower, higher) :])


def overlap(lower: Sequence[Entry], higher: Sequence[Entry]) -> int:
    """How long the longest exact suffix of `lower` is that is a prefix of `higher`.

    That much has been forwarded already. Linear, by the prefix function of Knuth, Morris and Pratt.
    """
    tail = lower[-len(higher) :] if higher else ()
    if not tail or higher[0] not in tail:
        return 0
    borders = _borders(higher[: len(tail)])
    matched = 0
    for entry in tail:
        while matched and higher[matched] != entry:
            matched = borders[matched - 1]
        if higher[matched] == entry:
            matched += 1
    return matched


def serialize(entries: Sequence[Entry]) -> dict[str, str]:
    """Write the list: contiguous from 0, the count in canonical decimal, nothing for no entries."""
    if not entries:
        return {}
    variables = {COUNT: str(len(entries))}
    names = _NAMES if len(entries) <= MAX_ENTRIES else _names(len(entries))
    for (key_name, value_name), (key, value) in zip(names, entries, strict=False):
        variables[key_name] = key
        variables[value_name] = value
    return variables


def size(entries: Sequence[Entry]) -> int:
    """Bytes of the list as `execve` counts them: each `NAME=VALUE` and its NUL."""
    if not entries:
        return 0
    count = len(entries)
    indices = len("".join(map(str, range(count))))
    names = count * len(f"{KEY_PREFIX}=\0{VALUE_PREFIX}=\0") + 2 * indices
    return len(f"{COUNT}={count}\0") + names + _bytes("".join(chain.from_iterable(entries)))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _count(text: str) -> int | Reason:
    """What git's `strtoul` makes of the count.

    A negative number wraps at 2^64, one out of range saturates. The digits are counted before they
    are converted, so no length is expensive.
    """
    if not text:
        return 0
    number = _COUNT_GRAMMAR.fullmatch(text)
    if number is None:
        return Reason.BOGUS_COUNT
    digits = number[2].lstrip("0")
    if len(digits) > _UNSIGNED_LONG_DIGITS:
        return Reason.TOO_MANY_ENTRIES
    magnitude = int(digits or "0")
    if magnitude >= _UNSIGNED_LONG:
        return Reason.TOO_MANY_ENTRIES
    count = -magnitude % _UNSIGNED_LONG if number[1] == "-" else magnitude
    return count if count <= MAX_ENTRIES else Reason.TOO_MANY_ENTRIES


def _key_fault(key: str) -> Reason | None:
    if _KEY_GRAMMAR.fullmatch(key) is not None:
        return _text_fault(key)
    if not key:
        return Reason.EMPTY_KEY
    last = key.rfind(".")
    if last <= 0:
        return Reason.NO_SECTION
    return Reason.NO_VARIABLE if last == len(key) - 1 else Reason.INVALID_KEY


def _value_fault(key: str, value: str) -> Reason | None:
    """Git reads an include at once, and an entry has no file that a path could be relative to."""
    if (
        len(key) == _INCLUDE_LENGTH
        and key.lower() == _INCLUDE
        and not value.startswith(("/", "~", "%(prefix)/"))
    ):
        return Reason.RELATIVE_INCLUDE
    return _text_fault(value)


def _text_fault(text: str) -> Reason | None:
    if "\0" in text:
        return Reason.UNREPRESENTABLE
    if text.isascii():
        return Reason.TOO_LONG if len(text) > MAX_TEXT_BYTES else None
    try:
        return Reason.TOO_LONG if _bytes(text) > MAX_TEXT_BYTES else None
    except UnicodeEncodeError:
        return Reason.UNREPRESENTABLE


def _borders(pattern: Sequence[Entry]) -> list[int]:
    """For each prefix of the pattern, the length of its longest proper prefix that also ends it."""
    borders = [0] * len(pattern)
    matched = 0
    for index in range(1, len(pattern)):
        entry = pattern[index]
        while matched and pattern[matched] != entry:
            matched = borders[matched - 1]
        if pattern[matched] == entry:
            matched += 1
        borders[index] = matched
    return borders
