"""What happens once wakes everybody who waits for it, whenever they came."""

import asyncio

import pytest

from adapters.agentctl.server.happening import Happening

pytestmark = pytest.mark.anyio


async def test_whoever_waits_goes_on_when_it_happens_and_whoever_comes_later_at_once() -> None:
    happening = Happening()
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(happening.wait()) for _ in range(2)]
        await asyncio.sleep(0)
        before = (bool(happening), any(each.done() for each in waiting))
        happening.happen()
        happening.happen()

    await happening.wait()
    assert (before, bool(happening), happening.future.done()) == ((False, False), True, True)


@pytest.mark.parametrize("shielded", [True, False])
async def test_one_who_gives_up_neither_makes_it_happen_nor_keeps_it_from_happening(
    *, shielded: bool
) -> None:
    happening = Happening()

    async def wait() -> None:
        await (happening.wait() if shielded else happening.future)

    given_up = asyncio.ensure_future(wait())
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait({given_up})
    happened = bool(happening)
    async with asyncio.TaskGroup() as group:
        group.create_task(wait())
        await asyncio.sleep(0)
        happening.happen()

    assert (happened, bool(happening)) == (False, True)
