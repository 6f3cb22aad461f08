"""The tools that read. What is not the principal's to see is answered like what is not there."""

from collections.abc import Sequence
from typing import TypeVar

from adapters.mcp.answers import (
    AgentAnswer,
    Agents,
    Conversation,
    EventAnswer,
    RelatedTasks,
    Repositories,
    RepositoryAnswer,
    SessionAnswer,
    Sessions,
    Tasks,
    TaskSummary,
    WorkspaceAnswer,
    Workspaces,
)
from adapters.mcp.arguments import (
    GetConversation,
    GetTask,
    ListRepositories,
    ListTasks,
    ListWorkspaces,
    NoArguments,
    TaskSession,
)
from adapters.mcp.backend import Backend
from adapters.mcp.step_shapes import TaskDetail
from domain.access import Act, NotFound, acts_for_a_person
from domain.event import SessionEvent
from domain.identity import SessionId, TaskId, WorkspaceId
from domain.inquiry import Inquiry
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Execution, Principal
from domain.profile import Profile
from domain.session import Session
from domain.task import Task
from domain.tool_bounds import MAX_CONVERSATION_BYTES, fitting
from domain.workspace import Workspace
from pipelines.authority import own_task, permitted, sees, workspaces_for
from ports.store import Reader

__all__ = (
    "agents",
    "conversation",
    "following",
    "named",
    "related",
    "repositories",
    "session",
    "session_of",
    "sessions",
    "task",
    "task_of",
    "tasks",
    "workspace_of",
    "workspaces",
)

Row = TypeVar("Row", Workspace, Task)
Paged = TypeVar("Paged", Workspace, Task, Inquiry, Profile)


async def workspaces(
    backend: Backend, principal: Principal, asked: ListWorkspaces
) -> Result[Workspaces, NotFound]:
    async with backend.store.read() as state:
        if acts_for_a_person(principal):
            found = await workspaces_for(state, principal, asked.after, asked.limit)
        else:
            own = await own_task(state, principal)
            mine = await state.workspace(own.workspace) if own is not None else None
            found = paged([mine] if mine is not None else [], asked.after, asked.limit)
    return Success(
        Workspaces(
            workspaces=[WorkspaceAnswer.of(each) for each in found],
            next_after=following(found, asked.limit),
        )
    )


async def agents(backend: Backend, _: Principal, __: NoArguments) -> Result[Agents, NotFound]:
    return Success(Agents(agents=[AgentAnswer.of(each) for each in backend.agents.all()]))


async def repositories(
    backend: Backend, principal: Principal, asked: ListRepositories
) -> Result[Repositories, NotFound]:
    async with backend.store.read() as state:
        workspace = await workspace_of(state, principal, asked.workspace_id)
        if failed(workspace):
            return workspace
        found = await state.repositories(workspace.unwrap().id)
    return Success(Repositories(repositories=[RepositoryAnswer.of(each) for each in found]))


async def tasks(
    backend: Backend, principal: Principal, asked: ListTasks
) -> Result[Tasks, NotFound]:
    async with backend.store.read() as state:
        workspace = await workspace_of(state, principal, asked.workspace_id)
        if failed(workspace):
            return workspace
        if acts_for_a_person(principal):
            found = await state.tasks(workspace.unwrap().id, asked.after, asked.limit)
        else:
            found = paged(await family(state, principal), asked.after, asked.limit)
    return Success(
        Tasks(
            tasks=[TaskSummary.of(each) for each in found],
            next_after=following(found, asked.limit),
        )
    )


async def task(
    backend: Backend, principal: Principal, asked: GetTask
) -> Result[TaskDetail, NotFound]:
    async with backend.store.read() as state:
        found = await task_of(state, principal, asked.task_id)
        if failed(found):
            return found
        report = await state.report(found.unwrap().id)
    return Success(TaskDetail.of(found.unwrap(), report))


async def related(
    backend: Backend, principal: Principal, asked: GetTask
) -> Result[RelatedTasks, NotFound]:
    async with backend.store.read() as state:
        found = await task_of(state, principal, asked.task_id)
        if failed(found):
            return found
        one = found.unwrap()
        parent = await state.task(one.parent) if one.parent is not None else None
        beside = await state.children(parent.id) if parent is not None else []
        shown = [
            [
                TaskSummary.of(each)
                for each in kin
                if await permitted(state, principal, each, Act.SEE)
            ]
            for kin in (
                [parent] if parent is not None else [],
                await state.children(one.id),
                [each for each in beside if each.id != one.id],
            )
        ]
    above, below, siblings = shown
    return Success(
        RelatedTasks(
            task=TaskSummary.of(one),
            parent=above[0] if above else None,
            children=below,
            siblings=siblings,
        )
    )


async def sessions(
    backend: Backend, principal: Principal, asked: GetTask
) -> Result[Sessions, NotFound]:
    async with backend.store.read() as state:
        owner = await task_of(state, principal, asked.task_id)
        if failed(owner):
            return owner
        found = await state.sessions(owner.unwrap().id)
    return Success(Sessions(sessions=[SessionAnswer.of(each) for each in found]))


async def session(
    backend: Backend, principal: Principal, asked: TaskSession
) -> Result[SessionAnswer, NotFound]:
    async with backend.store.read() as state:
        found = await session_of(state, principal, asked.task_id, asked.session_id)
    return found if failed(found) else Success(SessionAnswer.of(found.unwrap()))


async def conversation(
    backend: Backend, principal: Principal, asked: GetConversation
) -> Result[Conversation, NotFound]:
    """Events in order, as many as were asked for and as fit; what is left out is asked for next."""
    async with backend.store.read() as state:
        found = await session_of(state, principal, asked.task_id, asked.session_id)
        if failed(found):
            return found
        events = await chosen(state, found.unwrap().id, asked)
    kept, more = events[: asked.limit], len(events) > asked.limit
    answers = [EventAnswer.of(each) for each in kept]
    fit = fitting((len(each.model_dump_json()) for each in answers), MAX_CONVERSATION_BYTES)
    return Success(
        Conversation(
            events=answers[:fit],
            next_after=kept[fit - 1].sequence if kept else asked.after,
            more=more or fit < len(kept),
        )
    )


async def chosen(
    state: Reader, session: SessionId, asked: GetConversation
) -> Sequence[SessionEvent]:
    """The events that were asked for and, if there is one, the one that follows them."""
    found: list[SessionEvent] = []
    after, wanted = asked.after, asked.limit + 1
    while len(found) < wanted:
        page = await state.events(session, after, wanted)
        found += [each for each in page if not asked.kinds or each.kind in asked.kinds]
        if len(page) < wanted:
            break
        after = page[-1].sequence
    return found[:wanted]


async def workspace_of(
    state: Reader, principal: Principal, workspace: str
) -> Result[Workspace, NotFound]:
    found = await state.workspace(WorkspaceId(workspace))
    if found is None or not await sees(state, principal, found.id):
        return Failure(NotFound("workspace"))
    return Success(found)


async def task_of(state: Reader, principal: Principal, task: str) -> Result[Task, NotFound]:
    found = await state.task(named(principal, task))
    if found is None or not await permitted(state, principal, found, Act.SEE):
        return Failure(NotFound("task"))
    return Success(found)


def named(principal: Principal, task: str) -> TaskId:
    """An agent may call its own task `self`."""
    if isinstance(principal, Execution) and task == "self":
        return principal.task
    return TaskId(task)


async def family(state: Reader, principal: Principal) -> Sequence[Task]:
    """What an agent sees: its task, that one's parent, children and siblings."""
    own = await own_task(state, principal)
    if own is None:
        return []
    above = await state.task(own.parent) if own.parent is not None else None
    beside = await state.children(above.id) if above is not None else [own]
    return [*([above] if above is not None else []), *beside, *await state.children(own.id)]


def paged(rows: Sequence[Row], after: str | None, limit: int) -> Sequence[Row]:
    """A page of rows that are all at hand, as the store would give it: by id, after `after`."""
    following = (each for each in rows if after is None or each.id > after)
    return sorted(following, key=lambda each: each.id)[:limit]


def following(page: Sequence[Paged], limit: int) -> str | None:
    """What the next page is asked for with; null when this one is the last."""
    return page[-1].id if len(page) == limit else None


async def session_of(
    state: Reader, principal: Principal, task: str, session: str
) -> Result[Session, NotFound]:
    """The session, if it is one of this task: the two are checked as a pair."""
    owner = await task_of(state, principal, task)
    if failed(owner):
        return owner
    found = await state.session(SessionId(session))
    if found is None or found.task != owner.unwrap().id:
        return Failure(NotFound("session"))
    return Success(found)
