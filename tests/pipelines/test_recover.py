"""After a start: open executions are followed again or ended, and no agent is forgotten."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domain.event import EventKind, ExecutionEvent
from domain.execution import ExecutionState, Handle
from domain.identity import TaskId, TurnId
from domain.session import Session, SessionState
from domain.turn import TurnState
from pipelines.recover import Recovered
from ports.runtime import InstanceStatus, RuntimeCode, RuntimeProblem
from tests.fakes.runtime import FakeRuntime
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.pipelines.rows import copied
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
UNREACHABLE = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")


def said(number: int) -> ExecutionEvent:
    return ExecutionEvent(number, NOW, EventKind.SESSION_STATUS, None, {})


def completed(number: int) -> ExecutionEvent:
    return ExecutionEvent(number, NOW, EventKind.COMPLETE, 1, {"state": "completed"})


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("session:recover")
async def test_an_agent_that_lives_is_followed_from_the_last_event_that_is_stored(
    plane: Plane,
) -> None:
    session = await plane.running()
    await acknowledge(plane, session, 7)
    plane.followers.followed.clear()

    recovered = await plane.container.recover()()

    assert recovered == Recovered(followed=1, ended=0)
    assert plane.followers.followed == [(handle(session), 7)]
    assert (await plane.session(session.id)).state is SessionState.IDLE
    assert plane.runtime.stopped == []


@requirement("session:recover")
async def test_an_agent_that_is_gone_interrupts_its_turn_and_ends_its_leases(
    plane: Plane,
) -> None:
    session = await plane.running()
    (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()
    plane.runtime.alive.clear()

    recovered = await plane.container.recover()()

    [turn] = await plane.turns(session.id)
    assert recovered == Recovered(followed=0, ended=1)
    assert turn.state is TurnState.INTERRUPTED
    assert (await plane.session(session.id)).state is SessionState.STOPPED
    assert all(each.revoked_at for each in await plane.leases(session.execution))


@requirement("session:recover:unsure")
async def test_an_agentctl_that_does_not_answer_now_is_asked_by_the_follower(
    plane: Plane,
) -> None:
    session = await plane.running()
    (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()
    plane.followers.followed.clear()
    plane.runtime.refuses["instances"] = UNREACHABLE

    recovered = await plane.container.recover()()

    [turn] = await plane.turns(session.id)
    assert recovered == Recovered(followed=1, ended=0)
    assert plane.followers.followed == [(handle(session), 0)]
    assert turn.state is TurnState.RUNNING


@requirement("session:recover")
@pytest.mark.parametrize(
    ("generation", "last", "told", "state"),
    [
        (None, 0, [], TurnState.INTERRUPTED),
        (None, 2, [said(1), said(2)], TurnState.INTERRUPTED),
        (None, 2, [said(1)], TurnState.RUNNING),
        (None, 2, [said(1), completed(2)], TurnState.COMPLETED),
        (1, 1, [said(1)], TurnState.RUNNING),
    ],
)
async def test_a_turn_of_which_the_agent_never_heard_is_given_up(
    plane: Plane,
    generation: int | None,
    last: int,
    told: list[ExecutionEvent],
    state: TurnState,
) -> None:
    session = await plane.running()
    begun = (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()
    followed = handle(session)
    plane.runtime.alive[followed] = InstanceStatus(followed, True, generation, last)
    await plane.container.recover()()
    assert plane.followers.doubts[-1] == begun.id

    await followed_until_told(plane, followed, told, begun.id)

    [turn] = await plane.turns(session.id)
    expected = SessionState.RUNNING if state is TurnState.RUNNING else SessionState.IDLE
    assert turn.state is state
    assert (await plane.session(session.id)).state is expected


@requirement("session:recover")
async def test_a_turn_that_began_after_the_start_is_in_no_doubt(plane: Plane) -> None:
    session = await plane.running()
    await plane.container.recover()()
    (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()

    assert plane.followers.doubts[-1] is None
    await followed_until_told(plane, handle(session), [said(1)], None)

    [turn] = await plane.turns(session.id)
    assert turn.state is TurnState.RUNNING


@requirement("session:recover:unsure")
async def test_a_doubt_stays_when_agentctl_does_not_answer(plane: Plane) -> None:
    session = await plane.running()
    begun = (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()
    plane.runtime.refuses["instances"] = UNREACHABLE

    with pytest.raises(ConnectionError):
        await plane.container.follow()(handle(session), 0, begun.id)

    [turn] = await plane.turns(session.id)
    assert turn.state is TurnState.RUNNING


@requirement("session:recover")
async def test_a_stop_that_was_under_way_is_asked_again(plane: Plane) -> None:
    session = await plane.running()
    plane.runtime.refuses["stop"] = UNREACHABLE
    await plane.api.stop(OWNER, session.id)
    plane.runtime.refuses.clear()

    await plane.container.recover()()
    assert plane.followers.followed[-1] == (handle(session), 0)
    plane.runtime.say(handle(session), None)
    await plane.container.follow()(handle(session), 0)

    assert plane.runtime.stopped == [handle(session)] * 2
    assert (await plane.session(session.id)).state is SessionState.STOPPED


@requirement("session:recover")
@pytest.mark.parametrize("known", ["deleted", "ended"])
async def test_an_agent_that_nobody_expects_is_ended(plane: Plane, known: str) -> None:
    session = await plane.running()
    [instance] = plane.runtime.alive.values()
    if known == "deleted":
        async with plane.store.write() as unit:
            await unit.remove_task(session.task)
    else:
        await plane.container.follow().conclude(handle(session))

    recovered = await plane.container.recover()()

    assert recovered == Recovered(followed=0, ended=0)
    assert plane.runtime.stopped == [instance.handle]
    assert plane.runtime.released == [instance.handle]


@requirement("session:recover")
async def test_a_session_between_two_states_comes_to_rest(plane: Plane, tmp_path: Path) -> None:
    task = await plane.ready_task()

    async def kill() -> None:
        copied(tmp_path, tmp_path / "killed")

    plane.git.meanwhile = kill
    (await plane.launched(task.id)).unwrap()

    async with plane_over(tmp_path / "killed", "again", FakeRuntime()) as restarted:
        await restarted.container.recover()()

        [session] = await restarted.sessions(TaskId(task.id))
        assert session.state is SessionState.FAILED
        assert session.failure is not None
        assert session.failure.code == "interrupted"


async def followed_until_told(
    plane: Plane, followed: Handle, told: list[ExecutionEvent], doubt: TurnId | None
) -> None:
    """Follow until all that is told was stored; then agentctl goes away."""
    if told:
        plane.runtime.say(followed, told)
    plane.runtime.goes_away(followed)
    with pytest.raises(ConnectionError):
        await plane.container.follow()(followed, 0, doubt)


async def acknowledge(plane: Plane, session: Session, through: int) -> None:
    async with plane.store.write() as unit:
        execution = await plane.execution(session.execution)
        assert execution.state is ExecutionState.LIVE
        await unit.put_execution(replace(execution, acknowledged=through))
