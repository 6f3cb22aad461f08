"""When an agentctl that is alone ends."""

import asyncio
from datetime import timedelta

import pytest

from adapters.agentctl.server.presence import Presence
from adapters.agentctl.server.vigil import vigil
from tests.adapters.agentctl.server.conftest import House, turn, watch
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _pass(clock: ManualClock, seconds: float) -> None:
    clock.advance(timedelta(seconds=seconds))


async def _rounds() -> None:
    """Long enough for the vigil to look again, however often it wants to."""
    for _ in range(20):
        await asyncio.sleep(0)


@requirement("agentctl:alone")
async def test_it_stays_while_somebody_is_there_and_ends_when_nobody_was(house: House) -> None:
    clock = ManualClock()
    presence = Presence(clock.monotonic)
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(
            vigil(presence, house.instances, clock.monotonic, check=0, idle=900, latest=86_400)
        )
        with presence.here():
            _pass(clock, 10_000)
            await _rounds()
            accompanied = watching.done()
        _pass(clock, 899)
        await _rounds()
        too_early = watching.done()
        _pass(clock, 1)
        async with asyncio.timeout(10):
            await watching

    assert (accompanied, too_early) == (False, False)


@requirement("agentctl:alone")
async def test_a_turn_is_waited_for_but_not_for_ever(house: House) -> None:
    clock = ManualClock()
    presence = Presence(clock.monotonic)
    instance = await house.launch()
    await turn(instance, 1, "say:hi")
    instance.prompt(2, "wait").unwrap()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(
            vigil(presence, house.instances, clock.monotonic, check=0, idle=900, latest=86_400)
        )
        _pass(clock, 86_399)
        await _rounds()
        during = watching.done()
        _pass(clock, 1)
        async with asyncio.timeout(10):
            await watching

    assert during is False
    instance.cancel()
    await watch(instance, "complete", 4)
