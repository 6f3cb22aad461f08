"""What ends a task, a workspace or a task's repository: first the leases, then the agents."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId, WorkspaceId
from domain.ledger import LedgerEntry, LedgerQuery, Operation
from domain.outcome import Failure, Result, failed
from domain.principal import Execution
from domain.session import Session, SessionState
from domain.task import Task
from ports.runtime import InstanceStatus, RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

GONE = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")
AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def task_of(plane: Plane, session: Session) -> Task:
    async with plane.store.read() as state:
        found = await state.task(session.task)
    assert found is not None
    return found


async def revocations(plane: Plane) -> list[LedgerEntry]:
    async with plane.store.read() as state:
        return list(await state.ledger(LedgerQuery(operation=Operation.REVOKE)))


Retire = Callable[[Plane, Task], Awaitable[Result[object, object]]]

RETIRE: dict[str, tuple[Retire, str]] = {
    "archive": (lambda plane, task: plane.api.archive_task(OWNER, task.id), "task_archived"),
    "delete": (lambda plane, task: plane.api.delete_task(OWNER, task.id), "task_deleted"),
    "workspace": (
        lambda plane, task: plane.api.delete_workspace(OWNER, task.workspace),
        "workspace_deleted",
    ),
}


@requirement("lease:end:task")
@pytest.mark.parametrize("how", RETIRE)
async def test_leases_end_even_when_the_agent_cannot_be_stopped(plane: Plane, how: str) -> None:
    session = await plane.running()
    plane.runtime.refuses["stop"] = GONE
    retire, why = RETIRE[how]

    outcome = await retire(plane, await task_of(plane, session))

    assert outcome == Failure(GONE)
    assert [each.detail for each in await revocations(plane)] == [why]


@requirement("lease:end:task")
@pytest.mark.parametrize("how", RETIRE)
async def test_an_agent_that_is_gone_already_is_no_problem(plane: Plane, how: str) -> None:
    session = await plane.running()
    plane.runtime.refuses["stop"] = RuntimeProblem(RuntimeCode.NO_INSTANCE, "gone")

    assert not failed(await RETIRE[how][0](plane, await task_of(plane, session)))


@requirement("lease:end:task")
async def test_an_archived_task_keeps_its_sessions_and_a_deleted_one_does_not(
    plane: Plane,
) -> None:
    kept, removed = await plane.running(), await plane.running()

    (await plane.api.archive_task(OWNER, kept.task)).unwrap()
    (await plane.api.delete_task(OWNER, removed.task)).unwrap()

    assert (await plane.session(kept.id)).state is SessionState.STOPPING
    assert await plane.sessions(removed.task) == []
    assert plane.runtime.stopped == [handle(kept), handle(removed)]
    assert plane.runtime.released == [handle(removed)]


@pytest.mark.parametrize("how", ["archive", "delete", "detach", "workspace", "ledger"])
async def test_an_agent_has_no_such_authority(plane: Plane, how: str) -> None:
    session = await plane.running()
    task = await task_of(plane, session)
    api = plane.api
    asked: dict[str, tuple[Awaitable[Result[object, object]], str]] = {
        "archive": (api.archive_task(AGENT, task.id), "task"),
        "delete": (api.delete_task(AGENT, task.id), "task"),
        "detach": (api.detach_repository(AGENT, task.id, task.repositories[0].repository), "task"),
        "workspace": (api.delete_workspace(AGENT, task.workspace), "workspace"),
        "ledger": (api.ledger(AGENT, LedgerQuery()), "ledger"),
    }
    outcomes = {name: (await each, what) for name, (each, what) in asked.items()}

    outcome, what = outcomes[how]
    assert outcome == Failure(NotFound(what))
    assert await revocations(plane) == []


@pytest.mark.parametrize("how", ["task", "workspace"])
async def test_what_is_not_there_cannot_be_deleted(plane: Plane, how: str) -> None:
    outcome: Result[object, object] = (
        await plane.api.delete_task(OWNER, TaskId("none"))
        if how == "task"
        else await plane.api.delete_workspace(OWNER, WorkspaceId("none"))
    )

    assert outcome == Failure(NotFound(how))


@requirement("lease:end:task")
async def test_an_agent_of_a_task_that_is_gone_is_ended_at_the_next_start(plane: Plane) -> None:
    forgotten = Handle(ExecutionId("gone"), TaskId("gone"), SessionId("gone"))
    running = await plane.running()
    plane.runtime.alive = {
        each: InstanceStatus(each, True, None, 0) for each in (forgotten, handle(running))
    }

    await plane.container.recover()()

    assert plane.runtime.stopped == [forgotten]
    assert plane.runtime.released == [forgotten]
