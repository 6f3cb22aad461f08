"""What a unit of work changed, for those who follow it while it happens.

A change says that something is different now, not how: who cares looks again. Nobody is told of
what changed before they began to follow.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.identity import SessionId, TaskId, WorkspaceId
from domain.task import Task

__all__ = (
    "MAX_UNSEEN",
    "Change",
    "ConversationGrew",
    "PlanChanged",
    "PromptsChanged",
    "SessionAdded",
    "SessionSettled",
    "TaskChanged",
)

MAX_UNSEEN: Final = 1_024
"""Different changes that a follower has not looked at; one more ends its following."""


@dataclass(frozen=True, slots=True)
class TaskChanged:
    """`before` is None for a task that came, `after` for one that went."""

    before: Task | None
    after: Task | None


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The plan of a task is another; `came_or_went` when there was none, or is none now."""

    task: TaskId
    came_or_went: bool


@dataclass(frozen=True, slots=True)
class SessionAdded:
    task: TaskId


@dataclass(frozen=True, slots=True)
class SessionSettled:
    """Nobody is about to bring the session to another state: no start and no stop goes on."""

    session: SessionId


@dataclass(frozen=True, slots=True)
class ConversationGrew:
    session: SessionId


@dataclass(frozen=True, slots=True)
class PromptsChanged:
    """A saved prompt of the workspace came, went or changed."""

    workspace: WorkspaceId


Change: TypeAlias = (
    TaskChanged | PlanChanged | SessionAdded | SessionSettled | ConversationGrew | PromptsChanged
)
