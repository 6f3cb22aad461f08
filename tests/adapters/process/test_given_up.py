"""A start that its caller gives up, at every step of it."""

import asyncio
import os
from pathlib import Path

import pytest

from adapters.process.spawn import LocalProcesses
from ports.processes import Child
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 -- only how many


async def _end(child: Child) -> None:
    await child.stop(polite=0, terminate=0, kill=10)
    # Loops let go of a pipe one or two steps later.
    for _ in range(5):
        await asyncio.sleep(0)


@requirement("processes:start:failures")
@pytest.mark.parametrize("steps", range(12))
async def test_a_start_that_is_given_up_leaves_neither_process_nor_descriptor(
    steps: int, tmp_path: Path
) -> None:
    processes = LocalProcesses(None)

    async def start() -> Child:
        started = await processes.start(
            ["/bin/sleep", "60"],
            directory=str(tmp_path),
            environment={},
            on_stdout=lambda _: None,
            on_stderr=lambda _: None,
        )
        return started.unwrap()

    # A loop opens descriptors of its own when it first holds a pipe.
    await _end(await start())
    before = _children(), _descriptors()
    starting = asyncio.ensure_future(start())
    for _ in range(steps):
        await asyncio.sleep(0)

    starting.cancel()
    async with asyncio.timeout(10):
        await asyncio.wait({starting})
    if not starting.cancelled():
        await _end(starting.result())

    await eventually(lambda: (_children(), _descriptors()) == before)
