"""Tasks: one piece of work, in one or more repositories, done by agents in sessions."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.identity import RepositoryId, TaskId, WorkspaceId
from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_EXTERNAL_ID_BYTES",
    "MAX_PROMPT_BYTES",
    "InvalidExternalId",
    "InvalidPrompt",
    "Task",
    "TaskRepository",
    "TaskState",
    "check_external_id",
    "check_prompt",
)

MAX_PROMPT_BYTES = 1024 * 1024
"""The largest prompt, in bytes of UTF-8."""
MAX_EXTERNAL_ID_BYTES = 255
"""The longest name that a client gives a task, in bytes of UTF-8."""


class TaskState(StrEnum):
    OPEN = "open"
    REVIEW = "review"
    DONE = "done"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class TaskRepository:
    """A repository that the task works in; `base` is the branch to start from, None its default."""

    repository: RepositoryId
    base: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """`parent` is the task of the same workspace that this one is a part of; it is none itself.

    `external_id` is the name that a client gave it, once in a workspace.
    """

    id: TaskId
    workspace: WorkspaceId
    title: str
    prompt: str
    state: TaskState
    repositories: tuple[TaskRepository, ...]
    created_at: datetime
    parent: TaskId | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class InvalidPrompt:
    """The prompt is blank, or its size in bytes is over `MAX_PROMPT_BYTES`."""

    size: int


@dataclass(frozen=True, slots=True)
class InvalidExternalId:
    """It is blank, over `MAX_EXTERNAL_ID_BYTES`, or has control characters."""


def check_external_id(text: str) -> Result[str, InvalidExternalId]:
    """The id without the blanks around it; its characters are looked at before those are cut."""
    trimmed = text.strip(" ")
    size = len(text.encode("utf-8", "surrogatepass"))
    if not trimmed or size > MAX_EXTERNAL_ID_BYTES or any(unprintable(char) for char in text):
        return Failure(InvalidExternalId())
    return Success(trimmed)


def unprintable(char: str) -> bool:
    return ord(char) < 32 or ord(char) == 127


def check_prompt(text: str) -> Result[str, InvalidPrompt]:
    size = len(text.encode("utf-8", "surrogatepass"))
    if not text.strip() or size > MAX_PROMPT_BYTES:
        return Failure(InvalidPrompt(size))
    return Success(text)
