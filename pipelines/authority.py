"""What a principal may see and do, as the store knows whose everything is.

What is given for a person is given to no agent: those see their own task and its kin.
"""

from collections.abc import Sequence

from domain.access import (
    Act,
    NotFound,
    OwnerOnly,
    Standing,
    allows,
    asks_as,
    sees_workspace,
)
from domain.access_token import HOME_TOKEN
from domain.account import Role
from domain.identity import RepositoryId, SessionId, TaskId, WorkspaceId
from domain.outcome import Failure, Result, Success
from domain.principal import Execution, Internal, Principal, Token, User
from domain.registered_repository import Repository
from domain.session import Session
from domain.task import Task
from domain.workspace import Workspace
from ports.store import Reader

__all__ = (
    "administers",
    "governed",
    "holds",
    "own_task",
    "permitted",
    "permitted_by_id",
    "repository_for",
    "sees",
    "session_for",
    "standing",
    "task_for",
    "workspace_for",
    "workspaces_for",
)


async def administers(state: Reader, principal: Principal) -> bool:
    """Whether the principal has accounts and invitations in hand: an admin who signed in does.

    So does the home's own token. No token that was made does.
    """
    match principal:
        case User(id=user):
            found = await state.account(user)
            return found is not None and found.active and found.role is Role.ADMIN
        case Token(id=key):
            return key == HOME_TOKEN
        case Internal() | Execution():
            return False


async def own_task(state: Reader, principal: Principal) -> Task | None:
    """The task that an agent works on; nobody else has one."""
    return await state.task(principal.task) if isinstance(principal, Execution) else None


async def standing(state: Reader, principal: Principal, workspace: WorkspaceId) -> Standing | None:
    """What a person is to a workspace; the system itself is like its owner. No agent has one."""
    if isinstance(principal, Internal):
        return Standing.OWNER
    user = asks_as(principal, workspace)
    return await state.standing(workspace, user) if user is not None else None


async def holds(state: Reader, principal: Principal, workspace: WorkspaceId) -> bool:
    """Whether a person works in the workspace."""
    return await standing(state, principal, workspace) is not None


async def sees(state: Reader, principal: Principal, workspace: WorkspaceId) -> bool:
    """Whether the workspace is there for a person or for an agent."""
    stands = await standing(state, principal, workspace)
    return sees_workspace(principal, await own_task(state, principal), stands, workspace)


async def governed(
    state: Reader, principal: Principal, workspace: WorkspaceId
) -> Result[Workspace, NotFound | OwnerOnly]:
    """The workspace, for who does with it what its owner alone does."""
    stands = await standing(state, principal, workspace)
    found = await state.workspace(workspace) if stands is not None else None
    if found is None:
        return Failure(NotFound("workspace"))
    return Success(found) if stands is Standing.OWNER else Failure(OwnerOnly())


async def workspace_for(
    state: Reader, principal: Principal, workspace: WorkspaceId
) -> Workspace | None:
    """For a person who works in it."""
    known = await holds(state, principal, workspace)
    return await state.workspace(workspace) if known else None


async def workspaces_for(
    state: Reader, principal: Principal, after: str | None, limit: int
) -> Sequence[Workspace]:
    """Those in which a person works, by id, strictly after `after`."""
    match principal:
        case Internal():
            return await state.workspaces(after, limit)
        case User(id=user) | Token(user=user, workspaces=None):
            return await state.workspaces_of(user, after, limit)
        case Token(workspaces=limits):
            named = sorted(each for each in limits or () if after is None or each > after)
            found = [await workspace_for(state, principal, each) for each in named]
            return [each for each in found if each is not None][:limit]
        case Execution():
            return []


async def permitted(state: Reader, principal: Principal, task: Task, act: Act) -> bool:
    stands = await standing(state, principal, task.workspace)
    return allows(principal, await own_task(state, principal), stands, task, act)


async def permitted_by_id(state: Reader, principal: Principal, task: TaskId, act: Act) -> bool:
    """The same for a task that was not read."""
    found = await state.task(task)
    return found is not None and await permitted(state, principal, found, act)


async def task_for(state: Reader, principal: Principal, task: TaskId) -> Task | None:
    """For a person who works in its workspace."""
    found = await state.task(task)
    known = found is not None and await holds(state, principal, found.workspace)
    return found if known else None


async def session_for(state: Reader, principal: Principal, session: SessionId) -> Session | None:
    """For a person who works in the workspace of its task."""
    found = await state.session(session)
    known = found is not None and await task_for(state, principal, found.task) is not None
    return found if known else None


async def repository_for(
    state: Reader, principal: Principal, repository: RepositoryId
) -> Repository | None:
    """For a person who works in its workspace."""
    found = await state.repository(repository)
    known = found is not None and await holds(state, principal, found.workspace)
    return found if known else None
