"""The tools that change something: each one use case, for the principal of the connection."""

from adapters.mcp.answers import MessageAnswer, SessionAnswer, TaskAnswer
from adapters.mcp.arguments import (
    CreateTask,
    GetTask,
    MessageTask,
    PermissionAnswer,
    SpawnSession,
    TaskSession,
)
from adapters.mcp.backend import Backend
from adapters.mcp.problems import NeedsWorkspace, NoLiveSession, ToolProblem
from adapters.mcp.reading import session, session_of, task_of
from domain.access import NotFound, acts_for_a_person
from domain.identity import RepositoryId, SessionId, TaskId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import LIVE
from domain.task import TaskRepository
from domain.turn import Turn
from pipelines.create_task import CreateTaskRequest
from pipelines.launch_session import LaunchRequest

__all__ = (
    "answer_permission",
    "archive_task",
    "create_task",
    "message_task",
    "spawn_session",
    "stop_session",
)


async def create_task(
    backend: Backend, principal: Principal, asked: CreateTask
) -> Result[TaskAnswer, ToolProblem]:
    workspace = await chosen_workspace(backend, principal, asked.workspace_id)
    if failed(workspace):
        return workspace
    wanted = [
        TaskRepository(RepositoryId(each.repository_id), each.base_branch)
        for each in asked.repositories
    ] or await only_repository(backend, workspace.unwrap())
    request = CreateTaskRequest(workspace.unwrap(), asked.title, asked.prompt, wanted)
    made = await backend.create_task(principal, request)
    return made if failed(made) else Success(TaskAnswer.of(made.unwrap()))


async def chosen_workspace(
    backend: Backend, principal: Principal, named: str | None
) -> Result[WorkspaceId, ToolProblem]:
    """The one that was named, else the only one there is."""
    if not acts_for_a_person(principal):
        return Failure(NotFound("workspace"))
    if named is not None:
        return Success(WorkspaceId(named))
    async with backend.store.read() as state:
        found = await state.workspaces(None, 2)
    return Success(found[0].id) if len(found) == 1 else Failure(NeedsWorkspace())


async def only_repository(backend: Backend, workspace: WorkspaceId) -> list[TaskRepository]:
    async with backend.store.read() as state:
        found = await state.repositories(workspace)
    return [TaskRepository(found[0].id)] if len(found) == 1 else []


async def archive_task(
    backend: Backend, principal: Principal, asked: GetTask
) -> Result[TaskAnswer, ToolProblem]:
    archived = await backend.archive_task(principal, TaskId(asked.task_id))
    return archived if failed(archived) else Success(TaskAnswer.of(archived.unwrap()))


async def spawn_session(
    backend: Backend, principal: Principal, asked: SpawnSession
) -> Result[MessageAnswer, ToolProblem]:
    """Start an agent and begin its first turn.

    An agent that does not take the prompt is stopped: whoever asks again finds the task free.
    """
    async with backend.store.read() as state:
        task = await task_of(state, principal, asked.task_id)
    if failed(task):
        return task
    launched = await backend.launch(principal, LaunchRequest(task.unwrap().id, asked.agent))
    if failed(launched):
        return launched
    session = launched.unwrap()
    begun = await backend.prompt(principal, session.id, asked.prompt or task.unwrap().prompt)
    if failed(begun):
        await backend.stop(principal, session.id)
        return begun
    return Success(turn_answer(begun.unwrap()))


async def message_task(
    backend: Backend, principal: Principal, asked: MessageTask
) -> Result[MessageAnswer, ToolProblem]:
    target = await addressed(backend, principal, asked)
    if failed(target):
        return target
    begun = await backend.prompt(principal, target.unwrap(), asked.prompt)
    if failed(begun):
        return begun
    return Success(turn_answer(begun.unwrap()))


def turn_answer(turn: Turn) -> MessageAnswer:
    return MessageAnswer(session_id=turn.session, turn_id=turn.id, turn=turn.generation)


async def addressed(
    backend: Backend, principal: Principal, asked: MessageTask
) -> Result[SessionId, ToolProblem]:
    """The session that was named, if it is the task's; else the newest that has a live agent."""
    async with backend.store.read() as state:
        if asked.session_id is not None:
            named = await session_of(state, principal, asked.task_id, asked.session_id)
            return named if failed(named) else Success(named.unwrap().id)
        owner = await task_of(state, principal, asked.task_id)
        if failed(owner):
            return owner
        live = [each for each in await state.sessions(owner.unwrap().id) if each.state in LIVE]
    if not live:
        return Failure(NoLiveSession())
    return Success(max(live, key=lambda each: each.created_at).id)


async def stop_session(
    backend: Backend, principal: Principal, asked: TaskSession
) -> Result[SessionAnswer, ToolProblem]:
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
