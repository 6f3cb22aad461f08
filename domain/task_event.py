"""What happened to tasks, one event a change, for those who follow them.

A change is what a unit of work made of a task as a whole: what it did in between is not told.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.task import Task

__all__ = ("EVENT_LIFE", "TaskChange", "TaskEvent", "change_of")

EVENT_LIFE: Final = timedelta(days=7)
"""How long an event stays for those who ask what happened; one that a consumer lacks stays on."""


class TaskChange(StrEnum):
    CREATED = "task.created"
    UPDATED = "task.updated"
    DELETED = "task.deleted"


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """`sequence` grows over all tasks; `task` is as the change left it, or as it last was."""

    sequence: int
    change: TaskChange
    task: Task
    at: datetime


def change_of(before: Task | None, after: Task | None) -> TaskChange | None:
    """The one event that tells the way from `before` to `after`; None when nothing changed."""
    if before == after:
        return None
    if before is None:
        return TaskChange.CREATED
    return TaskChange.DELETED if after is None else TaskChange.UPDATED
