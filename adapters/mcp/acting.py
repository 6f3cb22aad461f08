"""The tools that change something: each one use case, for the principal of the connection."""

from typing import Final, Literal

from adapters.mcp.answers import CreatedTask, MessageAnswer, SessionAnswer, TaskAnswer
from adapters.mcp.arguments import (
    CreateTask,
    GetTask,
    MessageTask,
    PermissionAnswer,
    TaskSession,
    UpdateTask,
)
from adapters.mcp.backend import Backend
from adapters.mcp.problems import NeedsWorkspace, NoLiveSession, NotYours, ToolProblem
from adapters.mcp.reading import named, session, session_of, task_of
from domain.access import Act, NotFound
from domain.identity import RepositoryId, SessionId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import LIVE, NotAllowed, SessionState
from domain.task import Task, TaskRepository
from domain.turn import Turn
from pipelines.authority import own_task, permitted, workspaces_for
from pipelines.create_task import CreateTaskRequest

__all__ = (
    "answer_permission",
    "archive_task",
    "controlled",
    "create_task",
    "message_task",
    "started",
    "stop_session",
    "update_task",
)

BUSY: Final = frozenset({SessionState.STARTING, SessionState.RUNNING})
"""An agent that will hear of a message when its turn comes."""


async def create_task(
    backend: Backend, principal: Principal, asked: CreateTask
) -> Result[CreatedTask, ToolProblem]:
    workspace = await chosen_workspace(backend, principal, asked.workspace_id)
    if failed(workspace):
        return workspace
    wanted = [
        TaskRepository(RepositoryId(each.repository_id), each.base_branch)
        for each in asked.repositories
    ]
    parent = named(principal, asked.parent_id) if asked.parent_id is not None else None
    if not wanted and parent is None:
        wanted = await only_repository(backend, workspace.unwrap())
    request = CreateTaskRequest(
        workspace.unwrap(), asked.title, asked.prompt, wanted, parent, asked.external_id
    )
    made = await backend.create_task(principal, request)
    if failed(made):
        return made
    created = made.unwrap()
    return Success(CreatedTask.told(created.task, deduplicated=created.deduplicated))


async def chosen_workspace(
    backend: Backend, principal: Principal, name: str | None
) -> Result[WorkspaceId, ToolProblem]:
    """The one that was named, else the only one that the principal sees."""
    if name is not None:
        return Success(WorkspaceId(name))
    async with backend.store.read() as state:
        own = await own_task(state, principal)
        if own is not None:
            return Success(own.workspace)
        found = await workspaces_for(state, principal, None, 2)
    return Success(found[0].id) if len(found) == 1 else Failure(NeedsWorkspace())


async def only_repository(backend: Backend, workspace: WorkspaceId) -> list[TaskRepository]:
    async with backend.store.read() as state:
        found = await state.repositories(workspace)
    return [TaskRepository(found[0].id)] if len(found) == 1 else []


async def update_task(
    backend: Backend, principal: Principal, asked: UpdateTask
) -> Result[TaskAnswer, ToolProblem]:
    found = await controlled(backend, principal, asked.task_id, Act.CHANGE)
    if failed(found):
        return found
    changed = await backend.update_task(principal, found.unwrap().id, asked.title, asked.prompt)
    return changed if failed(changed) else Success(TaskAnswer.of(changed.unwrap()))


async def archive_task(
    backend: Backend, principal: Principal, asked: GetTask
) -> Result[TaskAnswer, ToolProblem]:
    found = await controlled(backend, principal, asked.task_id, Act.CONTROL)
    if failed(found):
        return found
    archived = await backend.archive_task(principal, found.unwrap().id)
    return archived if failed(archived) else Success(TaskAnswer.of(archived.unwrap()))


async def message_task(
    backend: Backend, principal: Principal, asked: MessageTask
) -> Result[MessageAnswer, ToolProblem]:
    target = await addressed(backend, principal, asked)
    if failed(target):
        return target
    interrupts = asked.delivery_mode == "interrupt"
    if interrupts:
        allowed = await controlled(backend, principal, asked.task_id, Act.CONTROL)
        if failed(allowed):
            return allowed
    begun = await backend.prompt(principal, target.unwrap(), asked.prompt)
    if not failed(begun):
        return Success(started(begun.unwrap()))
    problem = begun.failure()
    if not isinstance(problem, NotAllowed) or problem.state not in BUSY:
        return begun
    queued = await backend.queue(principal, target.unwrap(), asked.prompt)
    if failed(queued):
        return queued
    waits = queued.unwrap().id
    sent = interrupts and not failed(await backend.send_queued(principal, target.unwrap(), waits))
    status: Literal["sent", "queued"] = "sent" if sent else "queued"
    return Success(
        MessageAnswer(session_id=target.unwrap(), status=status, turn_id=None, turn=None)
    )


def started(turn: Turn) -> MessageAnswer:
    return MessageAnswer(
        session_id=turn.session, status="started", turn_id=turn.id, turn=turn.generation
    )


async def controlled(
    backend: Backend, principal: Principal, task: str, act: Act
) -> Result[Task, NotFound | NotYours]:
    """The task, if the principal may do this with it; one that it sees is no secret."""
    async with backend.store.read() as state:
        found = await task_of(state, principal, task)
        if failed(found):
            return found
        allowed = await permitted(state, principal, found.unwrap(), act)
    return found if allowed else Failure(NotYours(act))


async def addressed(
    backend: Backend, principal: Principal, asked: MessageTask
) -> Result[SessionId, ToolProblem]:
    """The session that was named, if it is the task's; else the newest that has a live agent."""
    owner = await controlled(backend, principal, asked.task_id, Act.MESSAGE)
    if failed(owner):
        return owner
    async with backend.store.read() as state:
        if asked.session_id is not None:
            one = await session_of(state, principal, asked.task_id, asked.session_id)
            return one if failed(one) else Success(one.unwrap().id)
        live = [each for each in await state.sessions(owner.unwrap().id) if each.state in LIVE]
    if not live:
        return Failure(NoLiveSession())
    return Success(max(live, key=lambda each: each.created_at).id)


async def stop_session(
    backend: Backend, principal: Principal, asked: TaskSession
) -> Result[SessionAnswer, ToolProblem]:
    owner = await controlled(backend, principal, asked.task_id, Act.CONTROL)
    if failed(owner):
        return owner
    found = await session(backend, principal, asked)
    if failed(found):
        return found
    stopped = await backend.stop(principal, SessionId(asked.session_id))
    return stopped if failed(stopped) else Success(SessionAnswer.of(stopped.unwrap()))


async def answer_permission(
    backend: Backend, principal: Principal, asked: PermissionAnswer
) -> Result[SessionAnswer, ToolProblem]:
    found = await session(backend, principal, asked)
    if failed(found):
        return found
    answered = await backend.answer(
        principal, SessionId(asked.session_id), asked.request_id, asked.option_id
    )
    return answered if failed(answered) else await session(backend, principal, asked)
