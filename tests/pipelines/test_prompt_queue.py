"""Prompts that wait: one a finished turn, none lost and none doubled, whatever happens between."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from domain.access import NotFound
from domain.event import EventKind, ExecutionEvent
from domain.identity import ExecutionId, QueuedId, SessionId, TaskId
from domain.outcome import Failure
from domain.principal import Execution
from domain.prompt_queue import MAX_QUEUED, QueueChanged, QueuedPrompt, QueueFull, waiting
from domain.session import Move, NotAllowed, Session, SessionState
from domain.task import InvalidPrompt
from domain.turn import TurnState
from ports.runtime import InstanceStatus, RuntimeCode, RuntimeProblem
from tests.fakes.runtime import FakeRuntime
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

UNREACHABLE = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")
AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def working(plane: Plane) -> Session:
    """A session in its first turn."""
    session = await plane.running()
    (await plane.api.prompt(OWNER, session.id, "first")).unwrap()
    return session


async def queue(plane: Plane, session: Session, *texts: str) -> list[QueuedPrompt]:
    return [(await plane.api.queue(OWNER, session.id, each)).unwrap() for each in texts]


async def left(plane: Plane, session: Session) -> list[str]:
    async with plane.store.read() as state:
        return [each.text for each in waiting(await state.queue(session.id))]


async def stored(plane: Plane, session: Session) -> int:
    async with plane.store.read() as state:
        return len(await state.queue(session.id))


def heard(plane: Plane) -> list[str]:
    return [text for _, _, text in plane.runtime.prompts]


async def end(plane: Plane, session: Session, state: str = "completed") -> None:
    """The turn that runs begins, as far as its agent tells, and ends."""
    turns = await plane.turns(session.id)
    generation, number = turns[-1].generation, 2 * turns[-1].generation
    at = plane.clock.now()
    begun = ExecutionEvent(number - 1, at, EventKind.TURN_STARTED, generation, {})
    over = ExecutionEvent(number, at, EventKind.COMPLETE, generation, {"state": state})
    await plane.container.follow().record(handle(session), [begun, over])


@requirement("session:queue")
async def test_each_turn_that_completes_lets_one_prompt_go_in_order(plane: Plane) -> None:
    session = await working(plane)
    await queue(plane, session, "second", "third")
    assert heard(plane) == ["first"]

    await end(plane, session)
    assert (heard(plane), await left(plane, session)) == (["first", "second"], ["third"])
    await end(plane, session)
    await end(plane, session)

    assert heard(plane) == ["first", "second", "third"]
    assert [each.state for each in await plane.turns(session.id)] == [TurnState.COMPLETED] * 3
    assert await stored(plane, session) == 0
    assert (await plane.session(session.id)).state is SessionState.IDLE


@requirement("session:queue")
async def test_an_agent_that_has_nothing_to_do_gets_a_prompt_at_once(plane: Plane) -> None:
    session = await plane.running()

    await queue(plane, session, "now", "then")

    assert (heard(plane), await left(plane, session)) == (["now"], ["then"])


@requirement("session:queue:held")
@pytest.mark.parametrize("state", ["failed", "cancelled"])
async def test_after_a_turn_that_did_not_complete_the_queue_waits_for_a_person(
    plane: Plane, state: str
) -> None:
    session = await working(plane)
    await queue(plane, session, "second", "third")

    await end(plane, session, state)
    assert (heard(plane), await left(plane, session)) == (["first"], ["second", "third"])
    (await plane.api.prompt(OWNER, session.id, "go on")).unwrap()
    await end(plane, session)

    assert (heard(plane), await left(plane, session)) == (["first", "go on", "second"], ["third"])


@requirement("session:queue:bound")
async def test_a_full_queue_takes_no_more(plane: Plane) -> None:
    session = await working(plane)
    await queue(plane, session, *(str(each) for each in range(MAX_QUEUED)))

    refused = await plane.api.queue(OWNER, session.id, "one more")

    assert refused == Failure(QueueFull())
    assert len(await left(plane, session)) == MAX_QUEUED


@requirement("session:queue:change")
async def test_prompts_that_wait_are_edited_removed_and_reordered(plane: Plane) -> None:
    session = await working(plane)
    first, second, third = await queue(plane, session, "a", "b", "c")
    change = plane.api.change_queue

    (await change.edit(OWNER, session.id, second.id, "B")).unwrap()
    (await change.remove(OWNER, session.id, first.id)).unwrap()
    drifted = await change.reorder(OWNER, session.id, [third.id, second.id, first.id])
    (await change.reorder(OWNER, session.id, [third.id, second.id])).unwrap()

    assert drifted == Failure(QueueChanged((second.id, third.id)))
    assert await left(plane, session) == ["c", "B"]
    assert await change.remove(OWNER, session.id, first.id) == Failure(NotFound("prompt"))
    blank = (await change.edit(OWNER, session.id, second.id, " ")).failure()
    assert isinstance(blank, InvalidPrompt)


@requirement("session:queue:send")
async def test_a_prompt_that_is_sent_now_cancels_the_turn_and_goes_at_its_end(
    plane: Plane,
) -> None:
    session = await working(plane)
    _, urgent = await queue(plane, session, "patient", "urgent")

    (await plane.api.send_queued(OWNER, session.id, urgent.id)).unwrap()
    assert plane.runtime.cancelled == [handle(session)]
    assert heard(plane) == ["first"]
    await end(plane, session, "cancelled")

    assert (heard(plane), await left(plane, session)) == (["first", "urgent"], ["patient"])


@requirement("session:queue:send")
async def test_an_idle_agent_is_sent_a_prompt_also_after_a_turn_that_failed(plane: Plane) -> None:
    session = await working(plane)
    _, second = await queue(plane, session, "a", "b")
    await end(plane, session, "failed")

    (await plane.api.send_queued(OWNER, session.id, second.id)).unwrap()

    assert (heard(plane), await left(plane, session)) == (["first", "b"], ["a"])
    assert plane.runtime.cancelled == []


@requirement("session:queue:send")
async def test_a_turn_that_cannot_be_cancelled_leaves_the_queue_as_it_was(plane: Plane) -> None:
    session = await working(plane)
    first, second = await queue(plane, session, "a", "b")
    plane.runtime.refuses["cancel"] = UNREACHABLE

    refused = await plane.api.send_queued(OWNER, session.id, second.id)

    assert refused == Failure(UNREACHABLE)
    async with plane.store.read() as state:
        assert await state.queue(session.id) == [first, second]


@requirement("session:queue:put-back")
async def test_a_prompt_that_the_agent_does_not_take_is_back_where_it_was(plane: Plane) -> None:
    session = await working(plane)
    await queue(plane, session, "a", "b")
    plane.runtime.refuses["prompt"] = UNREACHABLE

    await end(plane, session)

    assert await left(plane, session) == ["a", "b"]
    [_, failed] = await plane.turns(session.id)
    assert (failed.state, failed.prompt) == (TurnState.FAILED, "a")
    plane.runtime.refuses.clear()
    (await plane.api.prompt(OWNER, session.id, "go on")).unwrap()
    await end(plane, session)
    assert heard(plane) == ["first", "a", "go on", "a"]
    assert await left(plane, session) == ["b"]


class DiesError(Exception):
    """What a control plane that is killed does not come back from."""


async def end_and_die(plane: Plane, session: Session, *, having_told: bool) -> None:
    """The turn ends, and the control plane while it delivers the next prompt."""

    async def die(*said: object) -> None:
        if having_told:
            await taken(*said)
        raise DiesError

    runtime: Any = plane.runtime
    taken, runtime.prompt = runtime.prompt, die
    with pytest.raises(DiesError):
        await end(plane, session)
    runtime.prompt = taken


@requirement("session:queue:put-back")
async def test_a_delivery_that_the_end_of_the_server_cut_short_is_made_after_its_start(
    tmp_path: Path,
) -> None:
    runtime = FakeRuntime()
    async with plane_over(tmp_path, runtime=runtime) as plane:
        session = await working(plane)
        await queue(plane, session, "a", "b")
        await end_and_die(plane, session, having_told=False)
        assert await left(plane, session) == ["b"]
    last = InstanceStatus(handle(session), alive=True, turn_generation=None, last=2)
    runtime.alive[handle(session)] = last

    async with plane_over(tmp_path, "again", runtime=runtime) as plane:
        await plane.container.recover()()
        [doubt] = plane.followers.doubts
        runtime.goes_away(handle(session))
        with pytest.raises(ConnectionError):
            await plane.container.follow()(handle(session), 2, doubt)

        assert heard(plane) == ["first", "a"]
        assert await left(plane, session) == ["b"]
        [_, unheard, again] = await plane.turns(session.id)
        assert (unheard.state, again.state) == (TurnState.INTERRUPTED, TurnState.RUNNING)


@requirement("session:queue:put-back")
async def test_a_prompt_that_the_agent_heard_before_the_server_ended_is_not_sent_again(
    tmp_path: Path,
) -> None:
    runtime = FakeRuntime()
    async with plane_over(tmp_path, runtime=runtime) as plane:
        session = await working(plane)
        await queue(plane, session, "a", "b")
        await end_and_die(plane, session, having_told=True)
    last = InstanceStatus(handle(session), alive=True, turn_generation=2, last=3)
    runtime.alive[handle(session)] = last

    async with plane_over(tmp_path, "again", runtime=runtime) as plane:
        await plane.container.recover()()
        await end(plane, session)

        assert heard(plane) == ["first", "a", "b"]
        assert await stored(plane, session) == 0
        assert await left(plane, session) == []


@requirement("session:queue:put-back")
async def test_an_agent_that_is_gone_before_it_heard_leaves_the_prompt_where_it_was(
    plane: Plane,
) -> None:
    session = await working(plane)
    await queue(plane, session, "a", "b")
    await end_and_die(plane, session, having_told=False)

    await plane.container.follow().conclude(handle(session))

    assert await left(plane, session) == ["a", "b"]
    assert heard(plane) == ["first"]


@requirement("session:queue")
async def test_what_was_queued_while_no_agent_ran_goes_after_the_resume(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    [waits] = await queue(plane, session, "later")
    assert heard(plane) == []
    refused = await plane.api.send_queued(OWNER, session.id, waits.id)

    (await plane.resumed(session.id)).unwrap()

    assert refused == Failure(NotAllowed(SessionState.STOPPED, Move.TURN_BEGAN))
    assert heard(plane) == ["later"]


async def test_a_queue_is_a_persons_and_belongs_to_its_session(plane: Plane) -> None:
    session = await working(plane)
    [waits] = await queue(plane, session, "a")
    nobody, change = SessionId("ses_none"), plane.api.change_queue
    missing, foreign = Failure(NotFound("session")), Failure(NotFound("prompt"))

    assert await plane.api.queue(OWNER, nobody, "b") == missing
    assert await plane.api.queue(AGENT, session.id, "b") == missing
    assert await change.edit(AGENT, session.id, waits.id, "b") == missing
    assert await change.remove(AGENT, session.id, waits.id) == missing
    assert await change.reorder(AGENT, session.id, [waits.id]) == missing
    assert await plane.api.send_queued(AGENT, session.id, waits.id) == missing
    assert await plane.api.send_queued(OWNER, session.id, QueuedId("other")) == foreign
    assert await left(plane, session) == ["a"]
