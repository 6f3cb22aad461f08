"""Tasks: one piece of work, in one or more repositories, done by agents in sessions."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.branch import InvalidBranch, check_branch
from domain.identity import RepositoryId, TaskId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed

__all__ = (
    "MAX_EXTERNAL_ID_BYTES",
    "MAX_PROMPT_BYTES",
    "MAX_PULL_REQUEST",
    "InvalidExternalId",
    "InvalidPrompt",
    "InvalidStart",
    "Task",
    "TaskRepository",
    "TaskState",
    "check_external_id",
    "check_prompt",
    "check_start",
)

MAX_PROMPT_BYTES = 1024 * 1024
"""The largest prompt, in bytes of UTF-8."""
MAX_EXTERNAL_ID_BYTES = 255
"""The longest name that a client gives a task, in bytes of UTF-8."""

MAX_PULL_REQUEST = 2**31 - 1
"""The highest number of a pull request."""


class TaskState(StrEnum):
    OPEN = "open"
    REVIEW = "review"
    DONE = "done"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class TaskRepository:
    """A repository that the task works in; `base` is the branch to start from, None its default.

    Instead of a base, `checkout` names a branch that exists, and is worked on as it is, or
    `pull_request` the number of one at the remote, at whose head the work begins.
    """

    repository: RepositoryId
    base: str | None = None
    checkout: str | None = None
    pull_request: int | None = None


@dataclass(frozen=True, slots=True)
class InvalidStart:
    """Of base, branch and pull request more than one is named, or its number is out of bounds."""


def check_start(place: TaskRepository) -> Result[TaskRepository, InvalidBranch | InvalidStart]:
    """A place whose work begins at one thing at most, of a name or number that there can be."""
    named = [each for each in (place.base, place.checkout) if each is not None]
    number = place.pull_request
    if len(named) + (number is not None) > 1:
        return Failure(InvalidStart())
    if number is not None and not 0 < number <= MAX_PULL_REQUEST:
        return Failure(InvalidStart())
    for name in named:
        branch = check_branch(name)
        if failed(branch):
            return branch
    return Success(place)


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
