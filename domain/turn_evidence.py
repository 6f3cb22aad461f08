"""What a turn left behind in its repositories: what is committed, what is not, what is pushed.

What nobody could look at is `UNKNOWN`, and never guessed. `status` reads the output of
`git status --porcelain=v2 --branch -z` (git-status(1)).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from domain.event import Json
from domain.identity import RepositoryId

__all__ = (
    "MAX_FILES",
    "MAX_PATH_CHARACTERS",
    "MAX_REPOSITORIES",
    "MAX_UNPUSHED",
    "UNKNOWN",
    "Commit",
    "Dirty",
    "Evidence",
    "RepositoryEvidence",
    "Status",
    "Unknown",
    "load",
    "status",
    "to_json",
)

MAX_FILES: Final = 50
"""Names of files that are kept of a repository; more are only counted."""
MAX_PATH_CHARACTERS: Final = 512
"""A longer name is only counted."""
MAX_UNPUSHED: Final = 1000
"""Commits are counted up to here: this number stands for as many or more."""
MAX_REPOSITORIES: Final = 100
"""What is read of a stored or received evidence at most."""


class Unknown(StrEnum):
    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN

Commit: TypeAlias = str | Unknown | None
"""The name of a commit; None on a branch that has none yet."""


@dataclass(frozen=True, slots=True)
class Dirty:
    """Entries that are not committed, an untracked directory being one; the first by name."""

    count: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RepositoryEvidence:
    """`unpushed`: commits of HEAD that no remote-tracking branch has, up to `MAX_UNPUSHED`."""

    repository: RepositoryId
    head_before: Commit
    head_after: Commit
    dirty: Dirty | Unknown
    unpushed: int | Unknown


Evidence: TypeAlias = tuple[RepositoryEvidence, ...]
"""One for each repository of the task, in its order."""


_RENAMED: Final = "2 "
_FIELDS: Final = {"1 ": 8, _RENAMED: 9, "u ": 10, "? ": 1}
"""Blanks before the name, by the kind of an entry."""


class Status(NamedTuple):
    head: Commit
    dirty: Dirty


def status(told: str) -> Status:
    """What git says of a working tree; a file that was renamed has the name that it has now."""
    head: Commit = UNKNOWN
    count = 0
    files: list[str] = []
    entries = iter(told.split("\0"))
    for entry in entries:
        kind = entry[:2]
        if entry.startswith("# branch.oid "):
            said = entry.removeprefix("# branch.oid ")
            head = None if said == "(initial)" else said
        elif kind in _FIELDS:
            count += 1
            name = entry.split(" ", _FIELDS[kind])[-1]
            if len(files) < MAX_FILES and len(name) <= MAX_PATH_CHARACTERS:
                files.append(name)
            if kind == _RENAMED:
                next(entries, None)
    return Status(head, Dirty(count, tuple(files)))


def to_json(evidence: Evidence | Unknown) -> list[Json] | str:
    if evidence is UNKNOWN:
        return UNKNOWN.value
    return [
        {
            "repository_id": each.repository,
            "head_before": each.head_before,
            "head_after": each.head_after,
            "dirty": _dirty_json(each.dirty),
            "unpushed": each.unpushed,
        }
        for each in evidence
    ]


def load(value: object) -> Evidence | Unknown:
    """What `to_json` gave. Never raises: a member of another shape is unknown."""
    if not isinstance(value, list):
        return UNKNOWN
    return tuple(
        RepositoryEvidence(
            RepositoryId(str(each.get("repository_id"))),
            _commit(each.get("head_before", UNKNOWN)),
            _commit(each.get("head_after", UNKNOWN)),
            _dirty(each.get("dirty")),
            _count(each.get("unpushed")),
        )
        for each in value[:MAX_REPOSITORIES]
        if isinstance(each, dict)
    )


def _dirty_json(dirty: Dirty | Unknown) -> Json | str:
    if isinstance(dirty, Unknown):
        return dirty.value
    return {"count": dirty.count, "files": list(dirty.files)}


def _commit(value: object) -> Commit:
    if value is None:
        return None
    return value if isinstance(value, str) and value != UNKNOWN else UNKNOWN


def _dirty(value: object) -> Dirty | Unknown:
    if not isinstance(value, dict):
        return UNKNOWN
    count, files = _count(value.get("count")), value.get("files")
    if isinstance(count, Unknown) or not isinstance(files, list):
        return UNKNOWN
    return Dirty(count, _names(files))


def _names(files: Sequence[object]) -> tuple[str, ...]:
    return tuple(each for each in files[:MAX_FILES] if isinstance(each, str))


def _count(value: object) -> int | Unknown:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return UNKNOWN
    return value
