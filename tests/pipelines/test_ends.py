"""What ends a session: its leases go with the same write, its agent right after it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId
from domain.ledger import LedgerQuery, Operation
from domain.outcome import Failure, Result, failed
from domain.principal import Execution
from domain.session import Session, SessionState
from domain.task import TaskState
from pipelines.create_task import NoRepository
from pipelines.launch_session import TaskBusy
from ports.runtime import Kept, RuntimeCode, RuntimeProblem, Worktrees
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Ending = Callable[[Plane, Session], Awaitable[object]]

UNREACHABLE = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def stop(plane: Plane, session: Session) -> object:
    return await plane.api.stop(OWNER, session.id)


async def archive(plane: Plane, session: Session) -> object:
    return await plane.api.archive_task(OWNER, session.task)


async def delete(plane: Plane, session: Session) -> object:
    return await plane.api.delete_task(OWNER, session.task)


async def delete_workspace(plane: Plane, session: Session) -> object:
    async with plane.store.read() as state:
        [workspace] = await state.workspaces(None, 10)
    return await plane.api.delete_workspace(OWNER, workspace.id)


ENDINGS = pytest.mark.parametrize(
    ("end", "why"),
    [
        (stop, "session_stopped"),
        (archive, "task_archived"),
        (delete, "task_deleted"),
        (delete_workspace, "workspace_deleted"),
    ],
)


@requirement("session:end")
@ENDINGS
async def test_leases_end_with_the_write_and_the_agent_after_it(
    plane: Plane, end: Ending, why: str
) -> None:
    session = await plane.running()

    await end(plane, session)

    async with plane.store.read() as state:
        ledger = await state.ledger(LedgerQuery(operation=Operation.REVOKE))
        held = await state.leases(handle(session).execution)
    assert [each.detail for each in ledger] == [why]
    assert all(each.revoked_at for each in held)
    assert plane.runtime.stopped == [handle(session)]
    assert plane.runtime.alive == {}


@requirement("session:end")
@ENDINGS
async def test_an_agentctl_that_does_not_answer_keeps_no_lease_alive(
    plane: Plane, end: Ending, why: str
) -> None:
    session = await plane.running()
    plane.runtime.refuses["stop"] = UNREACHABLE

    outcome = await end(plane, session)

    assert outcome == Failure(UNREACHABLE)
    async with plane.store.read() as state:
        assert [
            each.detail for each in await state.ledger(LedgerQuery(operation=Operation.REVOKE))
        ] == [why]
        assert all(each.revoked_at for each in await state.leases(handle(session).execution))


async def test_a_stop_that_did_not_reach_agentctl_can_be_asked_again(plane: Plane) -> None:
    session = await plane.running()
    plane.runtime.refuses["stop"] = UNREACHABLE
    first = await plane.api.stop(OWNER, session.id)
    plane.runtime.refuses.clear()

    second = await plane.api.stop(OWNER, session.id)

    assert failed(first)
    assert second.unwrap().state is SessionState.STOPPING
    assert plane.runtime.alive == {}


async def test_a_session_that_ended_before_is_given_as_it_is(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    asked = len(plane.runtime.stopped)

    assert (await plane.api.stop(OWNER, session.id)).unwrap() == session
    assert len(plane.runtime.stopped) == asked


async def test_an_archived_task_keeps_its_sessions_and_a_deleted_one_none(plane: Plane) -> None:
    session = await plane.running()

    archived = (await plane.api.archive_task(OWNER, session.task)).unwrap()
    kept = await plane.sessions(session.task)
    (await plane.api.delete_task(OWNER, session.task)).unwrap()

    assert archived.state is TaskState.ARCHIVED
    assert [each.id for each in kept] == [session.id]
    assert await plane.sessions(session.task) == []
    assert plane.runtime.released == [handle(session)]


async def _with_two(plane: Plane) -> tuple[Session, RepositoryId, RepositoryId]:
    """A session on a task with two repositories."""
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    first = (await plane.repository(workspace, "app")).id
    second = (await plane.repository(workspace, "library")).id
    session = (await plane.launched((await plane.task(workspace, first, second)).id)).unwrap()
    return session, first, second


@requirement("session:end")
@requirement("worktrees:detach")
async def test_a_repository_that_leaves_a_task_takes_its_lease_and_worktree_along(
    plane: Plane,
) -> None:
    session, first, second = await _with_two(plane)

    task = (await plane.api.detach_repository(OWNER, session.task, second)).unwrap()

    assert [each.repository for each in task.repositories] == [first]
    assert all(each.revoked_at for each in await plane.leases(session.execution))
    assert plane.runtime.stopped == [handle(session)]
    [removed] = plane.runtime.removed
    assert [each.folder for each in removed.checkouts] == ["library"]
    assert removed.several
    again = await plane.api.detach_repository(OWNER, session.task, second)
    assert again == Failure(NotFound("repository"))
    last = await plane.api.detach_repository(OWNER, session.task, first)
    assert last == Failure(NoRepository())


@requirement("worktrees:detach")
@pytest.mark.parametrize("step", ["stop", "remove_workspace"])
async def test_a_repository_whose_worktree_cannot_be_removed_stays_in_the_task(
    plane: Plane, step: str
) -> None:
    session, first, second = await _with_two(plane)
    plane.runtime.refuses[step] = UNREACHABLE

    refused = await plane.api.detach_repository(OWNER, session.task, second)

    assert refused == Failure(UNREACHABLE)
    async with plane.store.read() as state:
        kept = await state.task(session.task)
    assert kept is not None
    assert [each.repository for each in kept.repositories] == [first, second]
    plane.runtime.refuses.clear()
    assert not failed(await plane.api.detach_repository(OWNER, session.task, second))


@requirement("worktrees:detach")
async def test_a_session_that_begins_while_a_worktree_goes_keeps_the_repository(
    plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _, second = await _with_two(plane)
    remove = plane.runtime.remove_workspace
    begun: list[Session] = []

    async def removing(worktrees: Worktrees) -> Result[Sequence[Kept], RuntimeProblem]:
        begun.append((await plane.launched(session.task)).unwrap())
        return await remove(worktrees)

    await plane.stopped(session)
    monkeypatch.setattr(plane.runtime, "remove_workspace", removing)

    refused = await plane.api.detach_repository(OWNER, session.task, second)

    assert refused == Failure(TaskBusy(begun[0].id))


@requirement("session:person")
async def test_an_agent_ends_nothing_but_itself(plane: Plane) -> None:
    session = await plane.running()
    agent = Execution(ExecutionId("exec"), session.task, session.id)
    async with plane.store.read() as state:
        [workspace] = await state.workspaces(None, 10)

    assert await plane.api.archive_task(agent, session.task) == Failure(NotFound("task"))
    assert await plane.api.delete_task(agent, session.task) == Failure(NotFound("task"))
    assert await plane.api.delete_workspace(agent, workspace.id) == Failure(NotFound("workspace"))
    assert plane.runtime.stopped == []


async def test_what_is_not_there_cannot_be_ended(plane: Plane) -> None:
    task = TaskId("task_none")

    assert await plane.api.stop(OWNER, SessionId("ses_none")) == Failure(NotFound("session"))
    assert await plane.api.archive_task(OWNER, task) == Failure(NotFound("task"))
    assert await plane.api.delete_task(OWNER, task) == Failure(NotFound("task"))


@requirement("worktrees:task")
@pytest.mark.parametrize("end", [archive, delete, delete_workspace])
async def test_worktrees_go_after_the_agents_of_the_task(
    plane: Plane, end: Callable[[Plane, Session], Awaitable[object]]
) -> None:
    session = await plane.running()

    await end(plane, session)

    [removed] = plane.runtime.removed
    assert removed.task == session.task
    assert [each.folder for each in removed.checkouts] == ["app"]
    assert plane.runtime.alive == {}


@requirement("worktrees:task")
async def test_a_task_whose_worktree_cannot_be_removed_is_archived_and_not_deleted(
    plane: Plane,
) -> None:
    session = await plane.running()
    locked = RuntimeProblem(RuntimeCode.WORKTREE_LOCKED, "locked")
    plane.runtime.refuses["remove_workspace"] = locked

    assert await plane.api.delete_task(OWNER, session.task) == Failure(locked)

    async with plane.store.read() as state:
        found = await state.task(session.task)
    assert found is not None
    assert found.state is TaskState.ARCHIVED
    plane.runtime.refuses.clear()
    (await plane.api.delete_task(OWNER, session.task)).unwrap()
    assert await plane.sessions(session.task) == []


@requirement("worktrees:task")
async def test_a_workspace_with_a_worktree_that_cannot_be_removed_stays(plane: Plane) -> None:
    session = await plane.running()
    locked = RuntimeProblem(RuntimeCode.WORKTREE_LOCKED, "locked")
    plane.runtime.refuses["remove_workspace"] = locked

    assert await delete_workspace(plane, session) == Failure(locked)

    async with plane.store.read() as state:
        found = await state.task(session.task)
    assert found is not None
    assert found.state is TaskState.ARCHIVED
    plane.runtime.refuses.clear()
    await plane.api.delete_workspace(OWNER, found.workspace)
    assert await plane.sessions(session.task) == []
    assert len(plane.runtime.removed) == 2


@requirement("worktrees:task")
async def test_a_task_that_never_ran_has_no_worktree_to_remove(plane: Plane) -> None:
    task = await plane.ready_task()

    (await plane.api.archive_task(OWNER, task.id)).unwrap()

    assert plane.runtime.removed == []


@requirement("worktrees:restore")
async def test_a_restored_task_is_open_and_has_its_worktrees(plane: Plane) -> None:
    session = await plane.running()
    (await plane.api.archive_task(OWNER, session.task)).unwrap()

    restored = (await plane.api.restore_task(OWNER, session.task)).unwrap()

    assert restored.task.state is TaskState.OPEN
    assert plane.runtime.restored == plane.runtime.removed


async def test_a_task_that_cannot_be_restored_stays_archived(plane: Plane) -> None:
    session = await plane.running()
    (await plane.api.archive_task(OWNER, session.task)).unwrap()
    plane.runtime.refuses["restore_workspace"] = UNREACHABLE

    assert await plane.api.restore_task(OWNER, session.task) == Failure(UNREACHABLE)

    async with plane.store.read() as state:
        found = await state.task(session.task)
    assert found is not None
    assert found.state is TaskState.ARCHIVED
