"""The plan of a task: one text, in the words of whoever works on it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.identity import TaskId
from domain.outcome import Failure, Result, Success

__all__ = ("MAX_PLAN_BYTES", "InvalidPlan", "TaskPlan", "check_plan")

MAX_PLAN_BYTES: Final = 256 * 1024
"""The largest plan, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    task: TaskId
    title: str
    content: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class InvalidPlan:
    """The content is blank, or its size in bytes is over `MAX_PLAN_BYTES`."""

    size: int


def check_plan(content: str) -> Result[str, InvalidPlan]:
    size = len(content.encode("utf-8", "surrogatepass"))
    if not content.strip() or size > MAX_PLAN_BYTES:
        return Failure(InvalidPlan(size))
    return Success(content)
