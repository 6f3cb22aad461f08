"""Starts that fail, or are overtaken: what was true before stays, and nothing is left behind."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.connection import Status
from domain.execution import ExecutionState
from domain.lease import MAX_LIVE_LEASES
from domain.outcome import Failure, failed
from domain.session import Session, SessionState
from domain.task import Task
from pipelines.recover import Recovered
from pipelines.start_problem import INTERRUPTED, Superseded
from ports.runtime import LaunchSpec, RuntimeCode, RuntimeProblem
from tests.fakes.runtime import FakeRuntime
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.pipelines.rows import copied, metadata_of, refusing, with_leases
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Arranged = Callable[[Plane, Path], Awaitable[None]]

MALFORMED = {"GIT_CONFIG_COUNT": "many"}


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def no_lease(plane: Plane, folder: Path) -> None:
    with_leases(folder, MAX_LIVE_LEASES)


async def no_connection(plane: Plane, folder: Path) -> None:
    async with plane.store.write() as unit:
        [workspace] = await unit.workspaces(None, 1)
        [connection] = await unit.connections(workspace.id)
        await unit.put_connection(replace(connection, status=Status.REVOKED), b"sealed")


async def no_agentctl(plane: Plane, folder: Path) -> None:
    problem = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")
    plane.runtime.refuses["launch"] = problem


async def dead_agent(plane: Plane, folder: Path) -> None:
    problem = RuntimeProblem(RuntimeCode.AGENT_DIED, "it ended during initialize", "last words")
    plane.runtime.refuses["launch"] = problem


async def nothing(plane: Plane, folder: Path) -> None:
    """The request itself is what fails."""


FAILURES = pytest.mark.parametrize(
    ("arrange", "environment", "code"),
    [
        (no_lease, {}, "lease_limited"),
        (no_connection, {}, "connection_inactive"),
        (no_agentctl, {}, "agentctl_unreachable"),
        (dead_agent, {}, "agent_died"),
        (nothing, MALFORMED, "malformed_environment"),
    ],
)


async def once_run(plane: Plane) -> Session:
    """A session that ran before, and a later hour: another snapshot would be another text."""
    session = await plane.stopped(await plane.running())
    plane.clock.advance(timedelta(hours=1))
    return session


@requirement("session:start:snapshot")
@requirement("session:start:failed")
@FAILURES
async def test_a_failed_resume_leaves_the_snapshot_byte_for_byte(
    plane: Plane, tmp_path: Path, arrange: Arranged, environment: dict[str, str], code: str
) -> None:
    session = await once_run(plane)
    before = metadata_of(tmp_path, session.id)
    await arrange(plane, tmp_path)

    outcome = await plane.resumed(session.id, environment=environment)

    after = await plane.session(session.id)
    assert failed(outcome)
    assert metadata_of(tmp_path, session.id) == before
    assert (after.state, after.failure and after.failure.code) == (SessionState.FAILED, code)
    assert after.acp_session == session.acp_session
    await assert_nothing_is_left(plane, after)


@requirement("session:start:snapshot")
@requirement("session:start:failed")
@FAILURES
async def test_a_failed_launch_has_no_snapshot_and_can_be_resumed(
    plane: Plane, tmp_path: Path, arrange: Arranged, environment: dict[str, str], code: str
) -> None:
    task = await plane.ready_task()
    await plane.stopped((await plane.launched(task.id)).unwrap())
    await arrange(plane, tmp_path)

    outcome = await plane.launched(task.id, environment=environment)

    failure = (await plane.sessions(task.id))[-1]
    assert failed(outcome)
    assert metadata_of(tmp_path, failure.id) == "{}"
    assert (failure.state, failure.failure and failure.failure.code) == (SessionState.FAILED, code)
    await assert_nothing_is_left(plane, failure)

    if arrange in {no_agentctl, dead_agent, nothing}:
        plane.runtime.refuses.clear()
        resumed = (await plane.resumed(failure.id)).unwrap()
        assert (resumed.state, resumed.failure) == (SessionState.IDLE, None)


async def test_a_snapshot_that_was_replaced_is_another_text(plane: Plane, tmp_path: Path) -> None:
    session = await once_run(plane)
    before = metadata_of(tmp_path, session.id)

    (await plane.resumed(session.id)).unwrap()

    assert metadata_of(tmp_path, session.id) != before


@requirement("session:start:snapshot")
@requirement("session:recover")
async def test_a_server_killed_just_before_the_write_leaves_the_snapshot_and_no_agent(
    plane: Plane, tmp_path: Path
) -> None:
    session = await once_run(plane)
    before = metadata_of(tmp_path, session.id)

    async def kill(_: LaunchSpec) -> None:
        copied(tmp_path, tmp_path / "killed")

    plane.runtime.meanwhile = kill
    (await plane.resumed(session.id)).unwrap()
    survivors = FakeRuntime()
    survivors.alive.update(plane.runtime.alive)

    async with plane_over(tmp_path / "killed", "again", survivors) as restarted:
        assert await restarted.container.recover()() == Recovered(followed=0, ended=1)
        after = await restarted.session(session.id)

        assert metadata_of(tmp_path / "killed", session.id) == before
        assert (after.state, after.failure) == (SessionState.FAILED, INTERRUPTED)
        assert survivors.alive == {}
        await assert_nothing_is_left(restarted, after)


@requirement("session:start:superseded")
async def test_a_stop_while_the_agent_starts_wins(plane: Plane) -> None:
    task = await plane.ready_task()

    async def stop(spec: LaunchSpec) -> None:
        (await plane.api.stop(OWNER, spec.handle.session)).unwrap()

    plane.runtime.meanwhile = stop
    outcome = await plane.launched(task.id)

    [session] = await plane.sessions(task.id)
    assert outcome == Failure(Superseded())
    assert (session.state, session.failure) == (SessionState.STOPPED, None)
    assert "git_credential_snapshot" not in session.metadata
    await assert_nothing_is_left(plane, session)


@requirement("session:start:superseded")
async def test_a_stop_before_the_agent_starts_wins(plane: Plane) -> None:
    task = await plane.ready_task()

    async def stop() -> None:
        [session] = await plane.sessions(task.id)
        (await plane.api.stop(OWNER, session.id)).unwrap()

    plane.git.meanwhile = stop
    outcome = await plane.launched(task.id)

    [session] = await plane.sessions(task.id)
    assert outcome == Failure(Superseded())
    assert (session.state, session.execution) == (SessionState.STOPPED, None)
    assert plane.runtime.launches == []


@requirement("session:start:superseded")
@pytest.mark.parametrize("how", ["archive", "delete"])
async def test_who_ends_the_task_while_the_agent_starts_wins(plane: Plane, how: str) -> None:
    task = await plane.ready_task()

    async def end(_: LaunchSpec) -> None:
        if how == "archive":
            (await plane.api.archive_task(OWNER, task.id)).unwrap()
        else:
            (await plane.api.delete_task(OWNER, task.id)).unwrap()

    plane.runtime.meanwhile = end
    outcome = await plane.launched(task.id)

    assert outcome == Failure(Superseded())
    assert [each.state for each in await plane.sessions(task.id)] == (
        [SessionState.STOPPED] if how == "archive" else []
    )
    assert plane.runtime.alive == {}
    assert plane.followers.followed == []


@requirement("session:start:abandoned")
async def test_an_agent_whose_start_cannot_be_recorded_is_ended(
    plane: Plane, tmp_path: Path
) -> None:
    task = await plane.ready_task()
    refusing(tmp_path, "NEW.state = 'idle'")

    with pytest.raises(sqlite3.IntegrityError):
        await plane.launched(task.id)

    await assert_interrupted(plane, task)


@requirement("session:start:abandoned")
async def test_a_launch_during_which_the_server_ends_leaves_a_session_that_says_so(
    plane: Plane,
) -> None:
    task = await plane.ready_task()
    starting = asyncio.Event()

    async def wait(_: LaunchSpec) -> None:
        starting.set()
        await asyncio.Event().wait()

    plane.runtime.meanwhile = wait
    async with asyncio.timeout(10), asyncio.TaskGroup() as group, plane.container.flights():
        group.create_task(plane.launched(task.id))
        await starting.wait()

    await assert_interrupted(plane, task)


async def assert_interrupted(plane: Plane, task: Task) -> None:
    [session] = await plane.sessions(task.id)
    assert (session.state, session.failure) == (SessionState.FAILED, INTERRUPTED)
    await assert_nothing_is_left(plane, session)


async def assert_nothing_is_left(plane: Plane, session: Session) -> None:
    """Neither an agent, nor a lease that holds, nor an execution that counts as open."""
    assert plane.runtime.alive == {}
    async with plane.store.read() as state:
        assert await state.executions_in([ExecutionState.STARTING, ExecutionState.LIVE]) == []
        given = await state.leases(session.execution) if session.execution else []
    assert all(each.revoked_at for each in given)
