"""Moving a task from one state to another: which moves there are, and who makes them.

A state is what was said of the work, not whether an agent is at it. A task is archived and brought
back by ways of their own, since its worktrees go and come with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from domain.access import Act
from domain.outcome import Failure, Result, Success
from domain.task import Task, TaskState

__all__ = ("NotMovable", "act_of", "moved")

_MOVES: Final[Mapping[TaskState, frozenset[TaskState]]] = {
    TaskState.OPEN: frozenset({TaskState.REVIEW, TaskState.DONE}),
    TaskState.REVIEW: frozenset({TaskState.OPEN, TaskState.DONE}),
    TaskState.DONE: frozenset({TaskState.OPEN}),
    TaskState.ARCHIVED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class NotMovable:
    """No move leads from the state that the task is in to the one that was asked for."""

    state: TaskState
    wanted: TaskState


def act_of(wanted: TaskState) -> Act:
    """What a move to this state is to the task: that it is done, no agent says of its own."""
    return Act.CONTROL if wanted is TaskState.DONE else Act.CHANGE


def moved(task: Task, wanted: TaskState) -> Result[Task, NotMovable]:
    """The task in the state; one that is in it already stays as it is."""
    if task.state is wanted and wanted is not TaskState.ARCHIVED:
        return Success(task)
    if wanted in _MOVES[task.state]:
        return Success(replace(task, state=wanted))
    return Failure(NotMovable(task.state, wanted))
