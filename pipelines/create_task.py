"""Create a task: a prompt, and the repositories to work in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import Act, NotFound, acts_for_a_person
from domain.branch import InvalidBranch
from domain.identity import TaskId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Execution, Principal
from domain.task import (
    InvalidExternalId,
    InvalidPrompt,
    InvalidStart,
    Task,
    TaskRepository,
    TaskState,
    check_external_id,
    check_prompt,
    check_start,
)
from domain.workspace import MAX_NAME, InvalidName, check_name
from pipelines.authority import permitted, sees
from ports.clock import Clock
from ports.ids import Ids
from ports.store import Reader, Store

__all__ = (
    "CreateTask",
    "CreateTaskProblem",
    "CreateTaskRequest",
    "Created",
    "NoRepository",
    "NotCloned",
    "TooDeep",
)


@dataclass(frozen=True, slots=True)
class CreateTaskRequest:
    """`title` is the prompt's first line when it is absent.

    A part of a `parent` works where that one does unless it says where. With an `external_id` that
    the workspace has already, the task that has it is given, as it is.
    """

    workspace: WorkspaceId
    title: str | None
    prompt: str
    repositories: Sequence[TaskRepository]
    parent: TaskId | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class NoRepository:
    """A task works in at least one repository, and in each once."""


@dataclass(frozen=True, slots=True)
class TooDeep:
    """The parent is a part itself: tasks have one level of parts."""


@dataclass(frozen=True, slots=True)
class NotCloned:
    """Pull requests are fetched into clones of ours, and this is a repository of the user's."""


PlaceProblem: TypeAlias = (
    NotFound | InvalidBranch | InvalidStart | NoRepository | NotCloned | TooDeep
)
CreateTaskProblem: TypeAlias = PlaceProblem | InvalidName | InvalidPrompt | InvalidExternalId


@dataclass(frozen=True, slots=True)
class Created:
    """`deduplicated`: the task was there already, and nothing was created."""

    task: Task
    deduplicated: bool = False


@dataclass(frozen=True, slots=True)
class CreateTask:
    """An agent creates parts of its own task, and nothing else."""

    store: Store
    clock: Clock
    ids: Ids

    async def __call__(
        self, principal: Principal, request: CreateTaskRequest
    ) -> Result[Created, CreateTaskProblem]:
        prompt = check_prompt(request.prompt)
        if failed(prompt):
            return prompt
        title = check_name(
            request.title if request.title is not None else first_line(request.prompt)
        )
        if failed(title):
            return title
        named = check_external_id(request.external_id) if request.external_id is not None else None
        if named is not None and failed(named):
            return named
        external_id = named.unwrap() if named is not None else None
        async with self.store.write() as unit:
            places = await placed(unit, principal, request)
            if failed(places):
                return places
            if external_id is not None:
                known = await unit.task_named(request.workspace, external_id)
                if known is not None:
                    visible = await permitted(unit, principal, known, Act.SEE)
                    same = Created(known, deduplicated=True)
                    return Success(same) if visible else Failure(NotFound("task"))
            task = Task(
                TaskId(self.ids.new("task")),
                request.workspace,
                title.unwrap(),
                prompt.unwrap(),
                TaskState.OPEN,
                places.unwrap(),
                self.clock.now(),
                request.parent,
                external_id,
            )
            await unit.put_task(task)
        return Success(Created(task))


async def placed(
    state: Reader, principal: Principal, request: CreateTaskRequest
) -> Result[tuple[TaskRepository, ...], PlaceProblem]:
    """Where the task works, if the principal may put it there."""
    workspace = await state.workspace(request.workspace)
    if workspace is None or not await sees(state, principal, workspace.id):
        return Failure(NotFound("workspace"))
    if request.parent is None and not acts_for_a_person(principal):
        return Failure(NotFound("workspace"))
    wanted = tuple(request.repositories)
    if request.parent is not None:
        parent = await state.task(request.parent)
        if (
            parent is None
            or parent.workspace != workspace.id
            or not may_divide(principal, parent.id)
        ):
            return Failure(NotFound("task"))
        if parent.parent is not None:
            return Failure(TooDeep())
        wanted = wanted or tuple(_beside(each) for each in parent.repositories)
    chosen = [each.repository for each in wanted]
    if not chosen or len(set(chosen)) != len(chosen):
        return Failure(NoRepository())
    for place in wanted:
        start = check_start(place)
        if failed(start):
            return start
    known = {each.id: each for each in await state.repositories(workspace.id)}
    if not known.keys() >= set(chosen):
        return Failure(NotFound("repository"))
    for place in wanted:
        if place.pull_request is not None and known[place.repository].clone_url is None:
            return Failure(NotCloned())
    return Success(wanted)


def _beside(place: TaskRepository) -> TaskRepository:
    """Where a part works: a branch that its parent has checked out is where its own begins."""
    return replace(place, base=place.base or place.checkout, checkout=None)


def may_divide(principal: Principal, task: TaskId) -> bool:
    """Whether the principal may create parts of the task."""
    return acts_for_a_person(principal) or (
        isinstance(principal, Execution) and principal.task == task
    )


def first_line(prompt: str) -> str:
    """A title for a prompt: its first line, cut to length, without control characters."""
    line = prompt.strip().splitlines()[0]
    printable = "".join(char if char.isprintable() else " " for char in line)
    return " ".join(printable.split())[:MAX_NAME]
