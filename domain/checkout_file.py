"""Files of a checkout as a client sees and writes them: bounds, what a content is, what can fail.

A content is text when it is UTF-8 without NUL, and base64 of its bytes otherwise. A write names
the content that it replaces, so that nobody's change is written over unseen.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain.outcome import Failure, Result, Success
from domain.worktree_path import InvalidPath, check_path

__all__ = (
    "MAX_LISTED",
    "MAX_MATCHES",
    "MAX_MATCH_CHARACTERS",
    "MAX_QUERY_CHARACTERS",
    "MAX_READ_BYTES",
    "MAX_WRITE_BYTES",
    "Content",
    "Directory",
    "Encoding",
    "EntryKind",
    "FileCode",
    "FileEntry",
    "FileFailure",
    "InvalidContent",
    "InvalidQuery",
    "Match",
    "Matches",
    "Search",
    "SearchIn",
    "Write",
    "Written",
    "check_place",
    "check_search",
    "check_write",
    "content_of",
    "digest",
    "excerpt",
    "listed",
    "matched",
)

MAX_LISTED: Final = 2_000
"""Entries of a directory in one answer; of more it gives the number."""
MAX_READ_BYTES: Final = 10 * 1024 * 1024
"""The largest file that is read."""
MAX_WRITE_BYTES: Final = 1024 * 1024
"""The largest content that is written: escaped, still the body of a request."""
MAX_MATCHES: Final = 500
"""Matches in one answer; of more it gives the number."""
MAX_MATCH_CHARACTERS: Final = 500
"""Of a line that matches; the rest is cut off."""
MAX_QUERY_CHARACTERS: Final = 500

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class Encoding(StrEnum):
    UTF_8 = "utf-8"
    BASE64 = "base64"


class EntryKind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"


class FileCode(StrEnum):
    """Why a file could not be read or written, stable on the wire."""

    NOT_FOUND = "file_not_found"
    NOT_A_FILE = "not_a_file"
    NOT_A_DIRECTORY = "not_a_directory"
    OUTSIDE = "outside_the_worktree"
    TOO_LARGE = "file_too_large"
    CHANGED = "file_changed"
    DENIED = "file_denied"
    DISK_FULL = "disk_full"


@dataclass(frozen=True, slots=True)
class FileFailure:
    code: FileCode
    path: str


@dataclass(frozen=True, slots=True)
class InvalidContent:
    """What is to be written is not what its encoding says, is too long, or replaces no content."""


@dataclass(frozen=True, slots=True)
class InvalidQuery:
    """A query is one line of 1 to `MAX_QUERY_CHARACTERS`."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """`size` is in bytes, of files only."""

    name: str
    kind: EntryKind
    size: int | None


@dataclass(frozen=True, slots=True)
class Directory:
    """`omitted` is how many entries are not listed."""

    entries: tuple[FileEntry, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class Content:
    """`digest` is SHA-256 of the bytes, and names this content in a write."""

    content: str
    encoding: Encoding
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Write:
    """`replaces` is the digest of what the file holds now, None of one that is not there."""

    path: str
    content: str
    encoding: Encoding = Encoding.UTF_8
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    size: int
    digest: str


class SearchIn(StrEnum):
    CONTENT = "content"
    NAMES = "names"


@dataclass(frozen=True, slots=True)
class Search:
    """A text to look for as it is, below `path`, where git looks: not in files that it ignores."""

    query: str
    where: SearchIn = SearchIn.CONTENT
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """`line` counts from 1; None for a name."""

    path: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Matches:
    matches: tuple[Match, ...]
    omitted: int


def check_place(path: str) -> Result[str, InvalidPath]:
    """A path, or the empty one of the worktree itself."""
    return Success(path) if not path else check_path(path)


def check_write(write: Write) -> Result[bytes, InvalidPath | InvalidContent]:
    """The bytes to write."""
    named = write.replaces is None or _DIGEST.fullmatch(write.replaces)
    try:
        if write.encoding is Encoding.UTF_8:
            data = write.content.encode()
        else:
            data = base64.b64decode(write.content, validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        return Failure(InvalidContent())
    if not named or len(data) > MAX_WRITE_BYTES:
        return Failure(InvalidContent())
    return check_path(write.path).map(lambda _: data)


def check_search(search: Search) -> Result[Search, InvalidPath | InvalidQuery]:
    query = search.query
    if not 0 < len(query) <= MAX_QUERY_CHARACTERS or not _ONE_LINE.fullmatch(query):
        return Failure(InvalidQuery())
    if search.path is None:
        return Success(search)
    return check_path(search.path).map(lambda _: search)


_ONE_LINE: Final = re.compile(r"[^\0\n\r\ud800-\udfff]+")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def content_of(data: bytes) -> Content:
    """Text where it can be nothing else, else base64."""
    try:
        text = None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        text = None
    if text is None:
        encoded = base64.b64encode(data).decode("ascii")
        return Content(encoded, Encoding.BASE64, len(data), digest(data))
    return Content(text, Encoding.UTF_8, len(data), digest(data))


def excerpt(text: str, line: int | None, limit: int | None) -> str:
    """From `line`, counted from 1, at most `limit` lines with what ends them, a line feed."""
    first = max(line or 1, 1) - 1
    lines = text.split("\n")
    ended = [f"{each}\n" for each in lines[:-1]] + lines[-1:]
    return "".join(ended[first:] if limit is None else ended[first : first + limit])


def listed(entries: Sequence[FileEntry]) -> Directory:
    """Directories first, each kind by name."""
    ordered = sorted(entries, key=lambda entry: (entry.kind is not EntryKind.DIRECTORY, entry.name))
    return Directory(tuple(ordered[:MAX_LISTED]), max(0, len(ordered) - MAX_LISTED))


def matched(matches: Sequence[Match]) -> Matches:
    return Matches(tuple(matches[:MAX_MATCHES]), max(0, len(matches) - MAX_MATCHES))
