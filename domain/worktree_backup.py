"""What is kept of a worktree before it is removed: a commit under a ref of its own.

The commit's tree is the working tree, untracked files included; its last parent is a commit of
what was staged. Its message says what HEAD was, so that a restore brings all three back.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.identity import TaskId

__all__ = (
    "HEAD_BRANCH",
    "HEAD_COMMIT",
    "Head",
    "discard_ref",
    "head_of",
    "message",
    "ref_name",
    "refs_of",
)

HEAD_BRANCH: Final = "Kandev-Branch"
HEAD_COMMIT: Final = "Kandev-Head"

_LINE: Final = re.compile(rf"^({HEAD_BRANCH}|{HEAD_COMMIT}): (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Head:
    """What was checked out: no `commit` on a branch without one, no `branch` when detached."""

    commit: str | None
    branch: str | None


def refs_of(task: TaskId) -> str:
    """The prefix of all backups of a task; the last in the order of their names is the newest."""
    return f"refs/kandev/backup/{task}/"


def ref_name(task: TaskId, at: datetime) -> str:
    """`at` is UTC; to the microsecond, so that names sort by time and do not meet."""
    return f"{refs_of(task)}{at:%Y%m%dT%H%M%S.%fZ}"


def discard_ref(task: TaskId, at: datetime) -> str:
    """Where discarded changes are kept: apart, for a restore takes the newest backup."""
    return f"refs/kandev/discarded/{task}/{at:%Y%m%dT%H%M%S.%fZ}"


def message(head: Head) -> str:
    """The message of the commit, which `head_of` reads."""
    lines = ["Keep a worktree that is removed", ""]
    if head.branch is not None:
        lines.append(f"{HEAD_BRANCH}: {head.branch}")
    if head.commit is not None:
        lines.append(f"{HEAD_COMMIT}: {head.commit}")
    return "\n".join(lines) + "\n"


def head_of(text: str) -> Head:
    found = dict(_LINE.findall(text))
    return Head(found.get(HEAD_COMMIT), found.get(HEAD_BRANCH))
