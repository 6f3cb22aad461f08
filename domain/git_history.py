"""The commits of a checkout, as git tells them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.branch import InvalidBranch, check_branch
from domain.outcome import Failure, Result, Success, failed
from domain.worktree_path import shown

__all__ = (
    "MAX_COMMITS",
    "MAX_MESSAGE_CHARACTERS",
    "InvalidLimit",
    "LogRequest",
    "LoggedCommit",
    "arguments",
    "check",
    "read",
)

MAX_COMMITS: Final = 200
"""Commits in one answer."""
MAX_MESSAGE_CHARACTERS: Final = 8_192
"""Of a message; the rest is cut off."""

_FIELDS: Final = "%H%x00%P%x00%an%x00%ae%x00%aI%x00%B"
_COUNT: Final = 6


@dataclass(frozen=True, slots=True)
class LogRequest:
    """The newest `limit` commits of HEAD; with `base` those that this branch does not have."""

    limit: int = 50
    base: str | None = None


@dataclass(frozen=True, slots=True)
class InvalidLimit:
    """More than `MAX_COMMITS`, or less than one."""


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """`at` is when it was written, in RFC 3339 with the author's own offset."""

    commit: str
    parents: tuple[str, ...]
    author: str
    email: str
    at: str
    message: str


def check(request: LogRequest) -> Result[LogRequest, InvalidBranch | InvalidLimit]:
    if not 0 < request.limit <= MAX_COMMITS:
        return Failure(InvalidLimit())
    if request.base is not None and failed(check_branch(request.base)):
        return Failure(InvalidBranch())
    return Success(request)


def arguments(request: LogRequest) -> tuple[str, ...]:
    """The command for a request that was checked."""
    without = (f"^{request.base}",) if request.base is not None else ()
    return (
        "log",
        "-z",
        f"--format=tformat:{_FIELDS}",
        "--no-show-signature",
        "--no-color",
        "--no-notes",
        f"--max-count={request.limit}",
        "HEAD",
        *without,
        "--",
    )


def read(output: str) -> tuple[LoggedCommit, ...]:
    """The commits that git printed for `arguments`."""
    return tuple(_commits(shown(output).split("\0")))


def _commits(words: list[str]) -> Iterator[LoggedCommit]:
    for start in range(0, len(words) - _COUNT + 1, _COUNT):
        commit, parents, author, email, at, message = words[start : start + _COUNT]
        said = message.strip()[:MAX_MESSAGE_CHARACTERS]
        yield LoggedCommit(commit, tuple(parents.split()), author, email, at, said)
