"""However a transfer ends, agentctl holds as many descriptors as before; a slow one does not end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typing_extensions import override

from adapters.agentctl.server.bundle_shelf import BundleShelf
from domain.bundle_delivery import DeliveryBounds
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.shelves import (
    BUNDLE,
    DATA,
    Worker,
    deliver,
    left,
    pieces_of,
    shelf_in,
    stage,
)
from tests.eventually import eventually
from tests.permission_probe import permissions_enforced
from tests.requirements import requirement

SECONDS = 60.0

Ending: TypeAlias = Callable[[BundleShelf, Worker, str], Awaitable[None]]


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class Link:
    """Brings a beginning, then stands still until it is told how it ends."""

    def __init__(self) -> None:
        self.begun, self.lost = asyncio.Event(), asyncio.Event()

    async def pieces(self) -> AsyncIterator[bytes]:
        yield DATA[: len(DATA) // 2]
        self.begun.set()
        await self.lost.wait()
        raise ConnectionError


async def break_off(shelf: BundleShelf, worker: Worker, how: str) -> None:
    """Begin a transfer, and end it in this way."""
    link = Link()
    transfer = asyncio.create_task(stage(shelf, worker, DATA, link.pieces()))
    await asyncio.wait_for(link.begun.wait(), SECONDS)
    match how:
        case "cancelled":
            transfer.cancel()
        case "lost":
            link.lost.set()
        case "stopped":
            await shelf.end(worker.handle)
        case _:
            """The bound ends it."""
    await asyncio.wait({transfer}, timeout=SECONDS)
    assert transfer.done()


async def leave_staged(shelf: BundleShelf, worker: Worker, how: str) -> None:
    """Stage all of it, and end the stage in this way."""
    staged = (await stage(shelf, worker)).unwrap()
    if how == "stopped":
        await shelf.end(worker.handle)
    elif how == "discarded":
        await shelf.discard(worker.handle, BUNDLE, staged.stage)
    await eventually(lambda: shelf.staged == 0)


@requirement("bundle:deliver:discard")
@pytest.mark.anyio
@pytest.mark.parametrize("unnamed", [True, False])
@pytest.mark.parametrize(
    ("ending", "how", "bounds"),
    [
        (break_off, "cancelled", DeliveryBounds()),
        (break_off, "lost", DeliveryBounds()),
        (break_off, "stopped", DeliveryBounds()),
        (break_off, "still", DeliveryBounds(idle=0.05)),
        (leave_staged, "stopped", DeliveryBounds()),
        (leave_staged, "discarded", DeliveryBounds()),
        (leave_staged, "late", DeliveryBounds(uncommitted=0.05)),
    ],
)
async def test_every_handle_is_closed_however_a_transfer_ends(
    tmp_path: Path, ending: Ending, how: str, bounds: DeliveryBounds, unnamed: bool
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    async with shelf_in(tmp_path, bounds, unnamed=unnamed) as shelf:
        before = descriptors()
        await ending(shelf, Worker(workspace), how)
        await eventually(lambda: (descriptors(), left(workspace)) == (before, set()))


@requirement("bundle:deliver:refused")
@pytest.mark.anyio
async def test_a_workspace_that_nobody_may_write_refuses_and_stays(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir(mode=0o500)
    with permissions_enforced(tmp_path):
        async with shelf_in(tmp_path) as shelf:
            before = descriptors()
            refused = await deliver(shelf, Worker(workspace))
            after = descriptors()

    assert refused.failure().code is RuntimeCode.DESTINATION_UNWRITABLE
    assert (left(workspace), left(tmp_path / "bundles"), after) == (set(), set(), before)


class SteppingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock goes on when it is told to, besides."""

    ahead = 0.0

    @override
    def time(self) -> float:
        return super().time() + self.ahead


@requirement("bundle:deliver:time")
def test_a_slow_link_may_take_longer_than_it_may_stand_still(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    bounds = DeliveryBounds()
    loop = SteppingLoop()

    async def slow() -> AsyncIterator[bytes]:
        async for piece in pieces_of(DATA, len(DATA) // 10):
            loop.ahead += 0.9 * bounds.idle
            await asyncio.sleep(0)
            yield piece

    async def slowly() -> None:
        async with shelf_in(tmp_path, bounds) as shelf:
            staged = (await stage(shelf, Worker(workspace), DATA, slow())).unwrap()
            (await shelf.commit(Worker(workspace), BUNDLE, staged.stage)).unwrap()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(slowly())

    assert loop.ahead >= 9 * bounds.idle
    assert (workspace / ".kandev" / "diagnostics" / f"{BUNDLE}.zip").read_bytes() == DATA
