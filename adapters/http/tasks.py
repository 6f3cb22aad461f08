"""Routes of tasks, and the launch of a session on one."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.launched import LaunchBody
from adapters.http.problems import RefusalError, accepted, details
from adapters.http.profiles import named
from adapters.http.shapes import SessionBody, TaskBody
from domain.access import NotFound
from domain.execution import ExecutorType
from domain.identity import RepositoryId, TaskId, WorkspaceId
from domain.outcome import failed
from domain.principal import Principal
from domain.step_report import StepWords
from domain.task import TaskRepository, TaskState, check_prompt
from pipelines.authority import holds, task_for
from pipelines.create_task import CreateTaskRequest
from pipelines.launch_session import LaunchRequest

__all__ = ("Tasks",)

PAGE = 100
"""Rows of a list at most; `after` continues behind the last id."""


class TaskRepositoryChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """At most one of the branch to begin at, one that exists, and the number of a pull request."""

    repository_id: str
    base_branch: str | None = None
    checkout_branch: str | None = None
    pull_request: int | None = None


class NewTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`title`: the first line of the prompt when it is absent."""

    workspace_id: str
    prompt: str
    repositories: list[TaskRepositoryChoice]
    title: str | None = None


class NewSession(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`prompt`: the task's own when it is absent; an empty one begins no turn.

    `agent` and `executor` come from the profiles when they are absent, the executor else is a
    worktree.
    """

    agent: str | None = None
    prompt: str | None = None
    executor: ExecutorType | None = None
    environment: dict[str, str] = {}
    allow_dirty: bool = False
    approve_automatically: bool = False
    agent_profile_id: str | None = None
    executor_profile_id: str | None = None

    def __post_init__(self) -> None:
        if self.agent is None and self.agent_profile_id is None:
            raise ValueError("one of agent and agent_profile_id is needed")


class NewState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    state: Literal["open", "review", "done"]


class ReportBody(msgspec.Struct, frozen=True):
    session_id: str
    words: StepWords
    at: datetime


class KeptBody(msgspec.Struct, frozen=True):
    """The ref in the repository that held the work of its worktree."""

    repository_id: str
    ref: str


class RestoredBody(msgspec.Struct, frozen=True):
    task: TaskBody
    worktrees: list[KeptBody]


class Tasks(Controller):
    path = "/api/v1/tasks"
    tags = ("tasks",)

    @post()
    async def create(
        self,
        data: JSONBody[NewTask],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> TaskBody:
        request = CreateTaskRequest(
            WorkspaceId(data.workspace_id),
            data.title,
            data.prompt,
            tuple(
                TaskRepository(
                    RepositoryId(each.repository_id),
                    each.base_branch,
                    each.checkout_branch,
                    each.pull_request,
                )
                for each in data.repositories
            ),
        )
        return TaskBody.of(accepted(await api.create_task(principal, request)).task)

    @get()
    async def list_all(
        self,
        workspace_id: FromQuery[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = PAGE,
    ) -> list[TaskBody]:
        async with api.store.read() as state:
            if not await holds(state, principal, WorkspaceId(workspace_id)):
                raise RefusalError(NotFound("workspace"))
            found = await state.tasks(WorkspaceId(workspace_id), after, limit)
        return [TaskBody.of(each) for each in found]

    @get("/{task_id:str}")
    async def show(
        self,
        task_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> TaskBody:
        async with api.store.read() as state:
            found = await task_for(state, principal, TaskId(task_id))
        if found is None:
            raise RefusalError(NotFound("task"))
        return TaskBody.of(found)

    @post("/{task_id:str}/archive", status_code=200)
    async def archive(
        self,
        task_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> TaskBody:
        """Archive a task: its leases end at once, then its agents, then its worktrees go.

        Their work is kept in refs of the repositories; `restore` brings it back.
        """
        return TaskBody.of(accepted(await api.archive_task(principal, TaskId(task_id))))

    @post("/{task_id:str}/state", status_code=200)
    async def move(
        self,
        task_id: FromPath[str],
        data: JSONBody[NewState],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> TaskBody:
        """Say that a task is open, for review or done; its agents are left alone."""
        there = await api.move_task(principal, TaskId(task_id), TaskState(data.state))
        return TaskBody.of(accepted(there))

    @get("/{task_id:str}/report")
    async def report(
        self,
        task_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ReportBody:
        """The last report of an agent that had done what the task asks."""
        async with api.store.read() as state:
            task = await task_for(state, principal, TaskId(task_id))
            if task is None:
                raise RefusalError(NotFound("task"))
            found = await state.report(task.id)
        if found is None:
            raise RefusalError(NotFound("report"))
        return ReportBody(found.session, found.words, found.at)

    @post("/{task_id:str}/restore", status_code=200)
    async def restore(
        self,
        task_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> RestoredBody:
        """Open an archived task again, its worktrees as they were kept."""
        restored = accepted(await api.restore_task(principal, TaskId(task_id)))
        return RestoredBody(
            TaskBody.of(restored.task),
            [KeptBody(each.repository, each.ref) for each in restored.worktrees],
        )

    @delete("/{task_id:str}")
    async def remove(
        self,
        task_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        """Delete a task with its sessions and worktrees; branches and kept work stay in git."""
        accepted(await api.delete_task(principal, TaskId(task_id)))

    @delete("/{task_id:str}/repositories/{repository_id:str}", status_code=200)
    async def detach(
        self,
        task_id: FromPath[str],
        repository_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> TaskBody:
        """Take a repository from a task, with its worktree; what works on the task ends first."""
        outcome = await api.detach_repository(
            principal, TaskId(task_id), RepositoryId(repository_id)
        )
        return TaskBody.of(accepted(outcome))

    @get("/{task_id:str}/sessions")
    async def sessions(
        self,
        task_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = PAGE,
    ) -> list[SessionBody]:
        async with api.store.read() as state:
            if await task_for(state, principal, TaskId(task_id)) is None:
                raise RefusalError(NotFound("task"))
            found = await state.sessions(TaskId(task_id), after, limit)
        return [SessionBody.of(each) for each in found]

    @post("/{task_id:str}/sessions")
    async def launch(
        self,
        task_id: FromPath[str],
        data: JSONBody[NewSession],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> LaunchBody:
        """Start an agent on the task and give it the prompt; answers when the turn has begun.

        An agent that started and did not take the prompt is there all the same: the answer is its
        session, with `prompt_problem`.
        """
        prompt = await prompt_of(api, principal, TaskId(task_id), data.prompt)
        if prompt:
            accepted(check_prompt(prompt))
        request = LaunchRequest(
            task=TaskId(task_id),
            agent=data.agent,
            executor=data.executor,
            environment=data.environment,
            allow_dirty=data.allow_dirty,
            approve_automatically=data.approve_automatically,
            profiles=named(data.agent_profile_id, data.executor_profile_id),
        )
        session = accepted(await api.launch(principal, request))
        begun = await api.prompt(principal, session.id, prompt) if prompt else None
        refused = begun.failure() if begun is not None and failed(begun) else None
        async with api.store.read() as state:
            session = await state.session(session.id) or session
        return LaunchBody.told(session, details(refused) if refused is not None else None)


async def prompt_of(api: Api, principal: Principal, task: TaskId, given: str | None) -> str:
    """What the first turn is to be about; nothing for a task that is not there to see."""
    if given is not None:
        return given
    async with api.store.read() as state:
        found = await task_for(state, principal, task)
    return found.prompt if found else ""
