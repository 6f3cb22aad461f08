"""Paths inside a worktree, as a client names them: relative, and never out of it.

What a path leads to is for whoever opens it to see; here only its text is judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.outcome import Failure, Result, Success, failed

__all__ = ("MAX_PATHS", "MAX_PATH_BYTES", "InvalidPath", "check_path", "check_paths", "shown")

MAX_PATH_BYTES: Final = 4_095
"""Bytes of a path in UTF-8: what Linux takes, without the NUL (limits.h, `PATH_MAX`)."""
MAX_PATHS: Final = 1_000
"""Paths in one request."""

_NO_NAMES: Final = frozenset({"", ".", "..", ".git"})


@dataclass(frozen=True, slots=True)
class InvalidPath:
    """The text names nothing inside a worktree, or the number of paths is out of bounds."""


def check_path(path: str) -> Result[str, InvalidPath]:
    """A path of plain names: none empty, of dots alone, or git's own, however it is written."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return Failure(InvalidPath())
    if size > MAX_PATH_BYTES or "\0" in path or not _NO_NAMES.isdisjoint(path.lower().split("/")):
        return Failure(InvalidPath())
    return Success(path)


def check_paths(paths: Sequence[str]) -> Result[tuple[str, ...], InvalidPath]:
    """One path at least and `MAX_PATHS` at most, each of them valid."""
    if not 0 < len(paths) <= MAX_PATHS or any(failed(check_path(each)) for each in paths):
        return Failure(InvalidPath())
    return Success(tuple(paths))


def shown(path: str) -> str:
    """A path from git as it can be said in JSON: bytes that are not UTF-8 are replaced."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
