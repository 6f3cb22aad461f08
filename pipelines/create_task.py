"""Create a task: a prompt, and the repositories to work in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound, acts_for_a_person
from domain.branch import InvalidBranch, check_branch
from domain.identity import TaskId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.task import InvalidPrompt, Task, TaskRepository, TaskState, check_prompt
from domain.workspace import MAX_NAME, InvalidName, check_name
from ports.clock import Clock
from ports.ids import Ids
from ports.store import Store

__all__ = ("CreateTask", "CreateTaskProblem", "CreateTaskRequest", "NoRepository")


@dataclass(frozen=True, slots=True)
class CreateTaskRequest:
    """`title` is the prompt's first line when it is absent."""

    workspace: WorkspaceId
    title: str | None
    prompt: str
    repositories: Sequence[TaskRepository]


@dataclass(frozen=True, slots=True)
class NoRepository:
    """A task works in at least one repository, and in each once."""


CreateTaskProblem: TypeAlias = NotFound | InvalidName | InvalidPrompt | InvalidBranch | NoRepository


@dataclass(frozen=True, slots=True)
class CreateTask:
    store: Store
    clock: Clock
    ids: Ids

    async def __call__(
        self, principal: Principal, request: CreateTaskRequest
    ) -> Result[Task, CreateTaskProblem]:
        prompt = check_prompt(request.prompt)
        if failed(prompt):
            return prompt
        title = check_name(
            request.title if request.title is not None else first_line(request.prompt)
        )
        if failed(title):
            return title
        wanted = [each.repository for each in request.repositories]
        if not wanted or len(set(wanted)) != len(wanted):
            return Failure(NoRepository())
        for base in (each.base for each in request.repositories if each.base is not None):
            branch = check_branch(base)
            if failed(branch):
                return branch
        async with self.store.write() as unit:
            workspace = await unit.workspace(request.workspace)
            if workspace is None or not acts_for_a_person(principal):
                return Failure(NotFound("workspace"))
            known = {each.id for each in await unit.repositories(workspace.id)}
            if not known.issuperset(wanted):
                return Failure(NotFound("repository"))
            task = Task(
                TaskId(self.ids.new("task")),
                workspace.id,
                title.unwrap(),
                prompt.unwrap(),
                TaskState.OPEN,
                tuple(request.repositories),
                self.clock.now(),
            )
            await unit.put_task(task)
        return Success(task)


def first_line(prompt: str) -> str:
    """A title for a prompt: its first line, cut to length, without control characters."""
    line = prompt.strip().splitlines()[0]
    printable = "".join(char if char.isprintable() else " " for char in line)
    return " ".join(printable.split())[:MAX_NAME]
