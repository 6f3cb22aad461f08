"""Pushes as git's reflogs tell of them, and whose each was.

git writes `update by push` into the reflog of a remote-tracking ref (git-reflog(1)), which all
worktrees of a repository share: a line names no session. Whose it was is told from what the
worktrees had checked out, and where that tells of several it is ambiguous and never guessed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

from domain.event import Json
from domain.identity import RepositoryId

__all__ = (
    "MAX_REFLOGS",
    "MAX_REFLOG_BYTES",
    "MAX_UPDATES",
    "MAX_WORKTREES",
    "REFLOGS_OFF",
    "Push",
    "Unseen",
    "Update",
    "Whose",
    "Worktree",
    "checked_out",
    "grouped",
    "load",
    "news",
    "to_json",
    "updates",
    "whose",
)

MAX_REFLOG_BYTES: Final = 1024 * 1024
"""What is read of the end of one reflog."""
MAX_REFLOGS: Final = 10_000
"""Reflogs of remote-tracking refs that are looked at in one repository."""
MAX_WORKTREES: Final = 1_000
"""Worktrees of a repository that a push could have come from."""
MAX_UPDATES: Final = 20
"""Refs of one push that are named; more are only counted."""

REFLOGS_OFF: Final = "reflogs_off"
"""Git keeps no reflogs there, or not as files, and a push leaves nothing to be seen."""

_MESSAGE: Final = b"update by push"
_NAME: Final = rb"([0-9a-f]{40}|[0-9a-f]{64})"
_LINE: Final = re.compile(_NAME + b" " + _NAME + b" (.*)")


class Update(NamedTuple):
    """A remote-tracking ref that a push moved.

    `stamp` is who and when, as git wrote it: the same for all that one process of git moves.
    """

    ref: str
    old: str
    new: str
    stamp: bytes = b""


class Worktree(NamedTuple):
    """What a worktree had checked out: its branches, and the commits that its HEAD was on."""

    branches: frozenset[str]
    commits: frozenset[str]


class Whose(StrEnum):
    SESSION = "session"
    CHECKOUT = "checkout"
    """Somebody's in the checkout that the session shares with its user."""
    AMBIGUOUS = "ambiguous"
    ANOTHER = "another"


@dataclass(frozen=True, slots=True)
class Push:
    """What one process of git pushed; `more` refs are not named. `whose` is never `ANOTHER`.

    `before` is when the question came whose answer made us look: almost certainly a later push's.
    """

    repository: RepositoryId
    whose: Whose
    updates: tuple[Update, ...]
    more: int = 0
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unseen:
    """Pushes of a repository leave nothing that could be seen."""

    repository: RepositoryId
    reason: str


def news(known: bytes, content: bytes) -> bytes:
    """The whole lines behind `known`, the last one that was there before; all where it is gone."""
    whole = content[: content.rfind(b"\n") + 1]
    found = (b"\n" + whole).rfind(b"\n" + known) if known else -1
    return whole if found < 0 else whole[found + len(known) :]


def updates(ref: str, lines: bytes) -> tuple[Update, ...]:
    """What pushes did to a ref; lines of anything else, and what is no line, are passed over."""
    return tuple(
        Update(ref, parts.old, parts.new, parts.stamp)
        for parts in map(_parts, lines.split(b"\n"))
        if parts is not None and parts.message == _MESSAGE
    )


def checked_out(lines: bytes) -> frozenset[str]:
    """The commits that the reflog of a HEAD names."""
    known = [parts for parts in map(_parts, lines.split(b"\n")) if parts is not None]
    names = (name for parts in known for name in (parts.old, parts.new))
    return frozenset(name for name in names if not _is_nothing(name))


def grouped(moved: Iterable[Update]) -> Sequence[tuple[Update, ...]]:
    """The updates of each process of git together, in the order of their first ones."""
    groups: dict[bytes, list[Update]] = {}
    for update in moved:
        groups.setdefault(update.stamp, []).append(update)
    return [tuple(group) for group in groups.values()]


def whose(
    moved: Sequence[Update], ours: Worktree, others: Sequence[Worktree], *, shared: bool
) -> Whose:
    """Whose push moved these refs.

    Those can be meant whose HEAD was on what was pushed, or all where none was; of several, those
    on whose branch a ref is. `shared` says that a user works in our checkout as well.
    """
    all_known = [ours, *others]
    pushed = {each.old if _is_nothing(each.new) else each.new for each in moved}
    meant = [each for each in all_known if pushed & each.commits] or all_known
    if len(meant) > 1:
        named = [each for each in meant if any(_is_on(update, each) for update in moved)]
        meant = named or meant
    if not any(each is ours for each in meant):
        return Whose.ANOTHER
    if len(meant) > 1:
        return Whose.AMBIGUOUS
    return Whose.CHECKOUT if shared else Whose.SESSION


def to_json(told: Push | Unseen) -> Json:
    """The body of an event."""
    if isinstance(told, Unseen):
        return {"repository_id": told.repository, "unseen": told.reason}
    return {
        "repository_id": told.repository,
        "whose": told.whose.value,
        "updates": [{"ref": each.ref, "old": each.old, "new": each.new} for each in told.updates],
        "more": told.more,
        "before": told.before.isoformat() if told.before else None,
    }


def load(body: Mapping[str, Any]) -> Push | Unseen | None:  # any JSON object
    """What a body tells; None when it is none of ours."""
    try:
        repository = RepositoryId(str(body["repository_id"]))
        if "unseen" in body:
            return Unseen(repository, str(body["unseen"]))
        named = [Update(str(e["ref"]), str(e["old"]), str(e["new"])) for e in body["updates"]]
        before = datetime.fromisoformat(body["before"]) if body.get("before") else None
        return Push(
            repository, Whose(body["whose"]), tuple(named[:MAX_UPDATES]), int(body["more"]), before
        )
    except (KeyError, TypeError, ValueError):
        return None


def _is_nothing(name: str) -> bool:
    """Whether it stands for a ref that is not there: zeros alone."""
    return not name.strip("0")


class _Parts(NamedTuple):
    old: str
    new: str
    stamp: bytes
    message: bytes


def _parts(line: bytes) -> _Parts | None:
    """Old name, new name, who and when, a tab, the message (gitrepository-layout(5), `logs`)."""
    head, _, message = line.partition(b"\t")
    told = _LINE.fullmatch(head)
    if told is None:
        return None
    return _Parts(told[1].decode("ascii"), told[2].decode("ascii"), told[3], message)


def _is_on(update: Update, worktree: Worktree) -> bool:
    """Whether `refs/remotes/<remote>/<branch>` is of a branch that the worktree has."""
    parts = update.ref.split("/", 3)
    return len(parts) == 4 and parts[3] in worktree.branches
