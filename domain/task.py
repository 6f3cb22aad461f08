"""Tasks: one piece of work, in one or more repositories, done by agents in sessions."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.identity import RepositoryId, TaskId, WorkspaceId
from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_PROMPT_BYTES",
    "InvalidPrompt",
    "Task",
    "TaskRepository",
    "TaskState",
    "check_prompt",
)

MAX_PROMPT_BYTES = 1024 * 1024
"""The largest prompt, in bytes of UTF-8."""


class TaskState(StrEnum):
    OPEN = "open"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class TaskRepository:
    """A repository that the task works in; `base` is the branch to start from, None its default."""

    repository: RepositoryId
    base: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    id: TaskId
    workspace: WorkspaceId
    title: str
    prompt: str
    state: TaskState
    repositories: tuple[TaskRepository, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class InvalidPrompt:
    """The prompt is blank, or its size in bytes is over `MAX_PROMPT_BYTES`."""

    size: int


def check_prompt(text: str) -> Result[str, InvalidPrompt]:
    size = len(text.encode("utf-8", "surrogatepass"))
    if not text.strip() or size > MAX_PROMPT_BYTES:
        return Failure(InvalidPrompt(size))
    return Success(text)
