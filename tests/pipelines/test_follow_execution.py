"""Following an execution: every event once, every turn one ending, and a last word at the end."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.event import EventKind, ExecutionEvent, SessionEvent
from domain.execution import ExecutionState, Handle
from domain.failure_reason import FailureReason
from domain.identity import RepositoryId, SessionId
from domain.session import Session, SessionState
from domain.turn import TurnState
from domain.turn_evidence import UNKNOWN, Dirty, RepositoryEvidence, to_json
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


def chunk(number: int, generation: int = 1) -> ExecutionEvent:
    return ExecutionEvent(number, NOW, EventKind.MESSAGE_CHUNK, generation, {"text": str(number)})


def complete(number: int, generation: int = 1, state: str = "completed") -> ExecutionEvent:
    body = {"state": state, "stop_reason": "end_turn", "error": None}
    return ExecutionEvent(number, NOW, EventKind.COMPLETE, generation, dict(body))


async def stored(plane: Plane, session: SessionId) -> Sequence[SessionEvent]:
    async with plane.store.read() as state:
        return await state.events(session, 0, 1000)


async def prompted(plane: Plane) -> Session:
    """A session in its first turn."""
    session = await plane.running()
    (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()
    return session


@requirement("session:events:once")
async def test_a_batch_that_comes_twice_is_stored_once(plane: Plane) -> None:
    session = await prompted(plane)
    follow = plane.container.follow()

    await follow.record(handle(session), [chunk(1), chunk(2)])
    await follow.record(handle(session), [chunk(1), chunk(2), chunk(3)])

    events = await stored(plane, session.id)
    assert [(each.sequence, each.execution_sequence) for each in events] == [(1, 1), (2, 2), (3, 3)]
    assert await follow.stored(handle(session)) == 3


@requirement("session:events:once")
async def test_an_event_is_acknowledged_and_published_once_it_is_stored(plane: Plane) -> None:
    session = await prompted(plane)
    followed = handle(session)
    plane.runtime.say(followed, [chunk(1), chunk(2)])
    plane.runtime.say(followed, [complete(3)])
    plane.runtime.say(followed, None)

    async with asyncio.timeout(10):
        await plane.container.follow()(followed, 0)

    assert plane.runtime.acknowledged == [(followed, 2), (followed, 3)]
    assert [each.sequence for each in await stored(plane, session.id)] == [1, 2, 3]
    assert await plane.container.feed().wait(session.id, 0, 10) == 3
    assert plane.runtime.released == [followed]


@requirement("session:events:once")
async def test_nothing_is_acknowledged_beyond_an_event_that_is_not_stored(plane: Plane) -> None:
    session = await prompted(plane)
    follow = plane.container.follow()

    first = await follow.record(handle(session), [chunk(1), chunk(3)])
    filled = await follow.record(handle(session), [chunk(2)])

    assert (first, filled) == (1, 3)


@requirement("session:turn:evidence")
async def test_an_ended_turn_keeps_why_it_failed_and_what_it_left(plane: Plane) -> None:
    session = await prompted(plane)
    left = RepositoryEvidence(RepositoryId("r1"), None, "c1", Dirty(1, ("file",)), 2)
    told = complete(1, state="failed")
    told.body.update(reason="rate_limited", evidence=to_json((left,)))

    await plane.container.follow().record(handle(session), [told])

    [turn] = await plane.turns(session.id)
    assert (turn.reason, turn.evidence) == (FailureReason.RATE, (left,))


@requirement("session:turn:one-ending")
async def test_the_first_ending_of_a_turn_is_its_only_one(plane: Plane) -> None:
    session = await prompted(plane)
    follow = plane.container.follow()

    await follow.record(handle(session), [complete(1)])
    await follow.record(handle(session), [complete(2, state="failed")])

    [turn] = await plane.turns(session.id)
    assert (turn.state, turn.stop_reason, turn.ended_at) == (TurnState.COMPLETED, "end_turn", NOW)
    assert (await plane.session(session.id)).state is SessionState.IDLE
    assert len(await stored(plane, session.id)) == 2


@requirement("session:turn:one-ending")
async def test_a_late_ending_of_another_turn_ends_nothing(plane: Plane) -> None:
    session = await prompted(plane)
    follow = plane.container.follow()
    await follow.record(handle(session), [complete(1)])
    (await plane.api.prompt(OWNER, session.id, "Go on.")).unwrap()

    await follow.record(handle(session), [complete(2, generation=1, state="failed")])

    [_, second] = await plane.turns(session.id)
    assert second.state is TurnState.RUNNING
    assert (await plane.session(session.id)).state is SessionState.RUNNING


@requirement("session:events:once")
@requirement("session:turn:one-ending")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(steps=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=6))
async def test_however_batches_overlap_each_event_is_stored_once_in_order(
    plane: Plane, steps: list[tuple[int, int]]
) -> None:
    session = await prompted(plane)
    follow = plane.container.follow()
    events = [*(chunk(number) for number in range(1, 6)), complete(6)]

    last = 0
    for back, forward in steps:
        first = max(0, last - back)
        batch = events[first : first + 1 + forward]
        last = max(last, batch[-1].sequence) if batch else last
        await follow.record(handle(session), batch or events)
    await follow.record(handle(session), events)

    [turn] = await plane.turns(session.id)
    told = await stored(plane, session.id)
    await plane.stopped(session)
    assert [each.execution_sequence for each in told] == [1, 2, 3, 4, 5, 6]
    assert turn.state is TurnState.COMPLETED


@requirement("session:turn:one-ending")
async def test_an_agent_that_is_gone_during_a_turn_interrupts_it_and_says_so_as_an_event(
    plane: Plane,
) -> None:
    session = await prompted(plane)
    follow = plane.container.follow()
    await follow.record(handle(session), [chunk(1)])

    await follow.conclude(handle(session))
    await follow.conclude(handle(session))

    [turn] = await plane.turns(session.id)
    [_, last] = await stored(plane, session.id)
    after = await plane.session(session.id)
    assert (turn.state, turn.ended_at) == (TurnState.INTERRUPTED, NOW)
    assert (last.kind, last.generation, last.body["state"]) == (
        EventKind.COMPLETE,
        1,
        "interrupted",
    )
    assert (last.body["evidence"], turn.evidence) == ("unknown", UNKNOWN)
    assert (after.state, after.failure) == (SessionState.STOPPED, None)
    assert (await plane.execution(session.execution)).state is ExecutionState.ENDED
    assert all(each.revoked_at for each in await plane.leases(session.execution))


async def test_an_agent_that_is_gone_between_turns_adds_no_event(plane: Plane) -> None:
    session = await plane.running()

    await plane.container.follow().conclude(handle(session))

    assert await stored(plane, session.id) == []
    assert (await plane.session(session.id)).state is SessionState.STOPPED


@requirement("session:recover:unsure")
async def test_nothing_is_concluded_when_agentctl_goes_away(plane: Plane) -> None:
    session = await prompted(plane)
    plane.runtime.refuses["events"] = RuntimeProblem(RuntimeCode.UNREACHABLE, "gone")

    with pytest.raises(ConnectionError):
        await plane.container.follow()(handle(session), 0)

    [turn] = await plane.turns(session.id)
    assert turn.state is TurnState.RUNNING
    assert (await plane.execution(session.execution)).state is ExecutionState.LIVE


async def test_events_of_a_session_that_was_deleted_meanwhile_are_dropped(plane: Plane) -> None:
    session = await prompted(plane)
    (await plane.api.delete_task(OWNER, session.task)).unwrap()
    follow = plane.container.follow()

    await follow.record(handle(session), [chunk(1)])
    await follow.conclude(handle(session))

    assert await stored(plane, session.id) == []
    assert await follow.stored(handle(session)) == 0


async def test_the_end_of_an_earlier_execution_does_not_end_the_session_that_goes_on(
    plane: Plane,
) -> None:
    session = await plane.stopped(await plane.running())
    before = Handle(handle(session).execution, session.task, session.id)
    resumed = (await plane.resumed(session.id)).unwrap()

    await plane.container.follow().conclude(before)

    assert (await plane.session(session.id)).state is SessionState.IDLE
    assert (await plane.execution(resumed.execution)).state is ExecutionState.LIVE


@requirement("events:beyond")
async def test_an_agent_whose_events_are_others_is_ended_and_the_session_can_be_resumed(
    plane: Plane,
) -> None:
    session = await prompted(plane)
    plane.runtime.knows_less(handle(session))

    async with asyncio.timeout(60):
        await plane.container.follow()(handle(session), 1000)

    [turn] = await plane.turns(session.id)
    assert turn.state is TurnState.INTERRUPTED
    assert plane.runtime.stopped == [handle(session)]
    assert plane.runtime.released == [handle(session)]
    assert (await plane.session(session.id)).state is SessionState.STOPPED
    assert (await plane.resumed(session.id)).unwrap().state is SessionState.IDLE
