"""Which ignored files a new worktree is given: one text of comma-separated globs.

An entry is a glob relative to the repository, perhaps followed by `:` and a keyword. The only
keyword is `symlink`: link back instead of copying. The text after the last colon is the keyword,
so a name that contains one is refused when it is saved rather than guessed; `::symlink` at the end
is a name that ends in `:symlink`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from domain.outcome import Failure, Result, Success

__all__ = ("SYMLINK", "CopyEntry", "UnknownKeyword", "parse", "validate")

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
