"""Waiting for events that others store."""

import asyncio

import pytest

from adapters.feed.memory import MAX_REMEMBERED, MemoryFeed
from domain.identity import SessionId
from ports.feed import Feed

pytestmark = pytest.mark.anyio

ONE, OTHER = SessionId("ses_1"), SessionId("ses_2")


async def test_everyone_who_waits_for_a_session_wakes_with_its_newest_number() -> None:
    feed: Feed = MemoryFeed()

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiting = [group.create_task(feed.wait(ONE, after, 5)) for after in (0, 2)]
        elsewhere = group.create_task(feed.wait(OTHER, 0, 5))
        await asyncio.sleep(0)
        feed.publish(ONE, 3)
        found = [await each for each in waiting]
        assert not elsewhere.done()
        feed.publish(OTHER, 1)

    assert found == [3, 3]
    assert elsewhere.result() == 1


async def test_what_is_published_before_anyone_waits_is_known() -> None:
    feed = MemoryFeed()
    feed.publish(ONE, 7)
    feed.publish(ONE, 5)

    assert await feed.wait(ONE, 6, 5) == 7
    assert await feed.wait(ONE, 7, 0) == 7


async def test_a_number_that_is_not_new_wakes_nobody_for_good() -> None:
    feed = MemoryFeed()

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiting = group.create_task(feed.wait(ONE, 4, 5))
        await asyncio.sleep(0)
        feed.publish(ONE, 4)
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        feed.publish(ONE, 5)

    assert waiting.result() == 5


async def test_time_runs_out_with_the_number_that_was_known() -> None:
    assert await MemoryFeed().wait(ONE, 3, 0) == 3


async def test_nothing_is_kept_of_those_who_left() -> None:
    feed = MemoryFeed()

    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(feed.wait(ONE, 0, 5)) for _ in range(2)]
        await asyncio.sleep(0)
        for each in waiting:
            each.cancel()
    await feed.wait(OTHER, 0, 0)

    assert feed._waiting == {}


@pytest.mark.parametrize("beyond", [0, 1])
async def test_so_many_sessions_are_remembered_and_the_oldest_forgotten(beyond: int) -> None:
    feed = MemoryFeed()
    for number in range(MAX_REMEMBERED + beyond):
        feed.publish(SessionId(f"ses_{number}"), 1)

    assert await feed.wait(SessionId("ses_0"), 0, 0) == (0 if beyond else 1)
    assert await feed.wait(SessionId("ses_1"), 0, 0) == 1
