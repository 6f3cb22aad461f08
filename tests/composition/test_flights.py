"""Work for several callers: done once, given up for none of them by another, joined at the end."""

import asyncio

import pytest
from structlog.testing import capture_logs

from composition.flights import FlightTasks

pytestmark = pytest.mark.anyio


class Work:
    """Begins when it is called and ends when it is told."""

    def __init__(self) -> None:
        self.begun = 0
        self.given_up = 0
        self.may_end = asyncio.Event()

    async def __call__(self) -> int:
        self.begun += 1
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return self.begun


async def test_callers_of_one_key_share_one_flight_and_the_next_begins_anew() -> None:
    async with FlightTasks() as flights, asyncio.TaskGroup() as group:
        work = Work()
        callers = [group.create_task(flights.join("key", work)) for _ in range(3)]
        other = group.create_task(flights.join("other", work))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        begun = work.begun
        work.may_end.set()
        await asyncio.wait({*callers, other})
        again = await flights.join("key", work)

    assert (begun, again, work.begun) == (2, 3, 3)
    assert len({each.result() for each in callers}) == 1


async def test_a_caller_that_gives_up_stops_it_for_nobody() -> None:
    async with FlightTasks() as flights, asyncio.TaskGroup() as group:
        work = Work()
        leaves = group.create_task(flights.join("key", work))
        stays = group.create_task(flights.join("key", work))
        await asyncio.sleep(0)
        leaves.cancel()
        await asyncio.wait({leaves})
        work.may_end.set()

        assert await stays == 1

    assert (leaves.cancelled(), work.given_up) == (True, 0)


async def test_what_is_under_way_at_the_end_is_given_up_and_joined() -> None:
    work = Work()
    async with FlightTasks() as flights:
        caller = asyncio.create_task(flights.join("key", work))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await caller

    assert (work.begun, work.given_up) == (1, 1)


async def test_a_failure_reaches_every_caller_and_the_log() -> None:
    async def fail() -> None:
        raise RuntimeError("no luck")

    with capture_logs() as logs:
        async with FlightTasks() as flights:
            outcomes = await asyncio.gather(
                flights.join("key", fail), flights.join("key", fail), return_exceptions=True
            )

    assert [str(each) for each in outcomes] == ["no luck"] * 2
    assert [each["event"] for each in logs] == ["flight_failed"]


async def test_with_its_last_caller_work_for_callers_is_given_up_and_the_next_begins_anew() -> None:
    async with FlightTasks() as flights, asyncio.TaskGroup() as group:
        work = Work()
        callers = [group.create_task(flights.join("key", work, for_callers=True)) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        callers[0].cancel()
        await asyncio.wait(callers[:1])
        kept = work.given_up
        callers[1].cancel()
        await asyncio.wait(callers)
        given_up = work.given_up
        work.may_end.set()

        assert await flights.join("key", work, for_callers=True) == 2

    assert (kept, given_up) == (0, 1)
