"""What has changed in a checkout, read from git's own porcelain (git-status(1), version 2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.worktree_path import shown

__all__ = ("ARGUMENTS", "MAX_ENTRIES", "ChangedPath", "GitStatus", "entries", "read")

MAX_ENTRIES: Final = 2_000
"""Changed paths that one answer lists; of more it gives the number."""

ARGUMENTS: Final = ("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all")

_ORDINARY_FIELDS: Final = 8
_RENAMED_FIELDS: Final = 9
_UNMERGED_FIELDS: Final = 10


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """A path that differs: `index` from HEAD, `worktree` from the index, by git's letters.

    `.` is unchanged, `?` untracked, `U` in conflict; `origin` is where a renamed one came from.
    """

    path: str
    index: str
    worktree: str
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class GitStatus:
    """`commit` is None before the first commit, `branch` when HEAD is detached.

    `ahead` and `behind` count commits against `upstream`, where it is known. `omitted` is how many
    changed paths are not listed.
    """

    commit: str | None
    branch: str | None
    upstream: str | None
    ahead: int | None
    behind: int | None
    changed: tuple[ChangedPath, ...]
    omitted: int


def read(output: str) -> GitStatus:
    """The status that git printed for `ARGUMENTS`."""
    headers = dict(_headers(output))
    ahead, _, behind = headers.get("branch.ab", "").partition(" ")
    commit, branch = headers.get("branch.oid"), headers.get("branch.head")
    changed = tuple(entries(output))
    return GitStatus(
        None if commit == "(initial)" else commit,
        None if branch == "(detached)" else branch,
        headers.get("branch.upstream"),
        int(ahead) if ahead else None,
        -int(behind) if behind else None,
        tuple(_said(each) for each in changed[:MAX_ENTRIES]),
        max(0, len(changed) - MAX_ENTRIES),
    )


def entries(output: str) -> Iterator[ChangedPath]:
    """Every changed path, spelled as git spells it, bytes that are not UTF-8 included."""
    words = iter(output.split("\0"))
    for word in words:
        kind, _, rest = word.partition(" ")
        match kind:
            case "1":
                yield ChangedPath(_field(word, _ORDINARY_FIELDS), rest[0], rest[1])
            case "2":
                yield ChangedPath(_field(word, _RENAMED_FIELDS), rest[0], rest[1], next(words))
            case "u":
                yield ChangedPath(_field(word, _UNMERGED_FIELDS), "U", "U")
            case "?":
                yield ChangedPath(rest, "?", "?")
            case _:
                continue


def _field(word: str, position: int) -> str:
    return word.split(" ", position)[position]


def _headers(output: str) -> Iterator[tuple[str, str]]:
    for word in output.split("\0"):
        if word.startswith("# "):
            name, _, value = word[2:].partition(" ")
            yield name, value


def _said(changed: ChangedPath) -> ChangedPath:
    origin = shown(changed.origin) if changed.origin is not None else None
    return ChangedPath(shown(changed.path), changed.index, changed.worktree, origin)
