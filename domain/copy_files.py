"""Which ignored files a new worktree is given: one text of comma-separated globs.

An entry is a glob relative to the repository, perhaps followed by `:` and a keyword. The only
keyword is `symlink`: link back instead of copying. The text after the last colon is the keyword,
so a name that contains one is refused when it is saved rather than guessed; `::symlink` at the end
is a name that ends in `:symlink`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_ALTERNATIVES",
    "MAX_FILES",
    "SYMLINK",
    "CopyEntry",
    "CopyWarning",
    "Reason",
    "UnknownKeyword",
    "alternatives",
    "parse",
    "validate",
)

MAX_FILES: Final = 10_000
"""Files that one worktree is given at most."""
MAX_ALTERNATIVES: Final = 256
"""Patterns that the braces of one entry stand for at most; more are not expanded."""

SYMLINK = "symlink"
_ESCAPED = f"::{SYMLINK}"


@dataclass(frozen=True, slots=True)
class CopyEntry:
    """A glob, and whether its matches become links to the repository instead of copies."""

    pattern: str
    symlink: bool = False


@dataclass(frozen=True, slots=True)
class UnknownKeyword:
    """What follows the last colon is no keyword; or it is one and nothing stands before it."""

    pattern: str
    keyword: str


class _Entry(NamedTuple):
    pattern: str
    keyword: str


class Reason(StrEnum):
    """Why a file, or all of an entry, was not given to a worktree; stable on the wire."""

    NO_MATCH = "no_match"
    OUTSIDE = "outside_repository"
    LINKED = "behind_a_link"
    SPECIAL = "no_regular_file"
    TOO_MANY = "too_many_files"
    FAILED = "not_written"


class CopyWarning(NamedTuple):
    """`path` is relative to the repository; the pattern where no file is meant."""

    pattern: str
    path: str
    reason: Reason


def alternatives(pattern: str) -> tuple[str, ...]:
    """The patterns that braces stand for, in order; a brace that is not closed is a character."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        found = _group(text)
        if found is None:
            done.append(text)
            continue
        start, end, choices = found
        waiting += [text[:start] + choice + text[end:] for choice in reversed(choices)]
        if len(done) + len(waiting) > MAX_ALTERNATIVES:
            return (pattern,)
    return tuple(dict.fromkeys(done))


def _group(text: str) -> tuple[int, int, list[str]] | None:
    """The first innermost group of choices: where it begins and ends, and what is in it."""
    start = -1
    for index, letter in enumerate(text):
        if letter == "{":
            start = index
        elif letter == "}" and start >= 0:
            return start, index + 1, text[start + 1 : index].split(",")
    return None


def parse(spec: str) -> tuple[CopyEntry, ...]:
    """What a stored text asks for: an unknown keyword is a copy, of one pattern the first wins."""
    chosen: dict[str, CopyEntry] = {}
    for pattern, keyword in _entries(spec):
        if pattern:
            chosen.setdefault(pattern, CopyEntry(pattern, keyword == SYMLINK))
    return tuple(chosen.values())


def validate(spec: str) -> Result[tuple[CopyEntry, ...], UnknownKeyword]:
    """What a text asks for, or why it must not be stored."""
    for pattern, keyword in _entries(spec):
        if keyword and (keyword != SYMLINK or not pattern):
            return Failure(UnknownKeyword(pattern, keyword))
    return Success(parse(spec))


def _entries(spec: str) -> Iterator[_Entry]:
    for text in _split(spec):
        entry = text.strip()
        if entry.endswith(_ESCAPED):
            yield _Entry(entry.removesuffix(_ESCAPED) + f":{SYMLINK}", "")
            continue
        pattern, colon, keyword = entry.rpartition(":")
        yield _Entry(pattern.strip(), keyword.strip()) if colon else _Entry(entry, "")


def _split(spec: str) -> Iterator[str]:
    """At commas outside braces; a closing brace that closes nothing is a character."""
    depth = start = 0
    for index, letter in enumerate(spec):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth = max(0, depth - 1)
        elif letter == "," and not depth:
            yield spec[start:index]
            start = index + 1
    yield spec[start:]
