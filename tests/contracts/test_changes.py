"""What every store tells those who follow what units of work change."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.change import (
    MAX_UNSEEN,
    Change,
    ConversationGrew,
    PlanChanged,
    SessionAdded,
    SessionSettled,
    TaskChanged,
)
from domain.identity import SessionId, TaskId
from domain.session import SessionState
from domain.task_plan import TaskPlan
from ports.store import Store, Writer
from tests.contracts.store_examples import NOW, Example, events, stored
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        yield made


@pytest.fixture
async def example(store: Store) -> Example:
    return await stored(store, Example())


async def change_everything(unit: Writer, example: Example) -> list[Change]:
    """One change of each kind, and what is told of them."""
    plan = TaskPlan(example.task.id, "Plan", "Look.", NOW)
    renamed = replace(example.task, title="Renamed")
    again = replace(example.session, id=SessionId("again"))
    await unit.put_plan(plan)
    await unit.put_plan(replace(plan, content="Mend."))
    await unit.remove_plan(plan.task)
    await unit.add_session(again)
    await unit.save_session(replace(again, state=SessionState.STARTING))
    await unit.save_session(replace(again, state=SessionState.IDLE, version=again.version + 1))
    await unit.append_events(example.session.id, example.execution.id, events([1]))
    await unit.put_task(renamed)
    return [
        PlanChanged(plan.task, came_or_went=True),
        PlanChanged(plan.task, came_or_went=False),
        SessionAdded(example.task.id),
        SessionSettled(again.id),
        ConversationGrew(example.session.id),
        TaskChanged(example.task, renamed),
    ]


async def undone(store: Store, example: Example) -> None:
    """A unit of work that fails at its end."""
    async with store.write() as unit:
        await change_everything(unit, example)
        raise ValueError("undone")


@requirement("store:changes")
async def test_a_follower_is_told_what_became_durable_once(store: Store, example: Example) -> None:
    with store.follow() as following:
        with pytest.raises(ValueError, match="undone"):
            await undone(store, example)
        async with store.write() as unit:
            expected = await change_everything(unit, example)
            await unit.put_task(replace(example.task, title="Renamed"))
        told = await following()
        waiting = asyncio.ensure_future(following())
        async with store.write() as unit:
            await unit.remove_task(example.task.id)
        async with asyncio.timeout(60):
            went = await waiting

    assert list(told) == expected
    assert [type(each) for each in went] == [TaskChanged]


@requirement("store:changes")
@pytest.mark.parametrize(("count", "told"), [(MAX_UNSEEN, MAX_UNSEEN), (MAX_UNSEEN + 1, 0)])
async def test_a_follower_that_does_not_look_loses_its_following(
    store: Store, example: Example, count: int, told: int
) -> None:
    with store.follow() as following:
        async with store.write() as unit:
            for number in range(count):
                await unit.put_task(replace(example.task, id=TaskId(f"task_{number}")))
        first = await following()
        async with store.write() as unit:
            await unit.put_task(replace(example.task, title="Renamed"))
        async with asyncio.timeout(60):
            second = await following()

    assert (len(first), len(second)) == (told, 1 if told else 0)
