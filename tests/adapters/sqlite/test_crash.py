"""Processes that are killed while they write."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO

import pytest

from adapters.sqlite.backup import is_intact
from adapters.sqlite.store import SqliteStore, open_store
from domain.task_event import TaskChange
from tests.adapters.sqlite.mortal_writer import EVENTS_A_UNIT, EXAMPLE
from tests.contracts.store_examples import NOW, stored
from tests.fakes.clock import ManualClock
from tests.requirements import requirement
from tests.soak import repetitions

ROOT = Path(__file__).parents[3]
KILLS = 50
LONGEST_ROUND = 30
"""Acknowledged units after which a round is killed at the latest."""


@asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[SqliteStore]:
    async with open_store(
        home / "kandev.db", backups=home / "backups", version="1", clock=ManualClock(NOW)
    ) as store:
        yield store


@contextmanager
def mortal_writer(home: Path) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """Its stdin and stdout; it has ended, and its child with it, when the block has."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.sqlite.mortal_writer", str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdin, process.stdout
        finally:
            process.stdin.close()
            process.wait(timeout=20)


def killed_round(stdin: IO[bytes], stdout: IO[bytes], after: int) -> int:
    """Have a child write, kill it once it acknowledged `after` units; the last acknowledged."""
    stdin.write(b"go\n")
    stdin.flush()
    child = int(stdout.readline())
    try:
        numbers = [int(stdout.readline()) for _ in range(after)]
    finally:
        os.kill(child, signal.SIGKILL)
    while number := int(stdout.readline()):
        numbers.append(number)
    return numbers[-1]


async def check(home: Path, acknowledged: int) -> None:
    """That nothing acknowledged is lost and everything stored agrees with everything else."""
    async with opened(home) as store, store.read() as state:
        session = await state.session(EXAMPLE.session.id)
        task = await state.task(EXAMPLE.task.id)
        execution = await state.execution(EXAMPLE.execution.id)
        found = await state.events(EXAMPLE.session.id, 0, 10**9)
        happened = await state.task_events(0, 10**9)
    assert session is not None
    number = session.version
    assert number in {acknowledged, acknowledged + 1}
    assert task is not None
    assert task.title == f"{number}"
    assert execution is not None
    assert execution.acknowledged == len(found) == number * EVENTS_A_UNIT
    assert [each.sequence for each in found] == list(range(1, len(found) + 1))
    assert [each.change for each in happened] == [
        TaskChange.CREATED,
        *[TaskChange.UPDATED] * number,
    ]
    assert [each.task.title for each in happened[1:]] == [f"{n}" for n in range(1, number + 1)]


async def drained(home: Path) -> tuple[int, int]:
    """How many events the consumer counted in the end, and how many there are."""
    async with opened(home) as store, store.write() as unit:
        session = await unit.session(EXAMPLE.session.id)
        assert session is not None
        taken = session.metadata.get("taken", 0)
        assert isinstance(taken, int)
        rest = await unit.take_task_events("counter", 10**9)
        return taken + len(rest), len(await unit.task_events(0, 10**9))


@requirement("store:crash:nothing-lost")
@pytest.mark.soak
@pytest.mark.anyio
@pytest.mark.parametrize("seed", repetitions(20))
async def test_a_writer_killed_again_and_again_loses_nothing_acknowledged(
    tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    async with opened(tmp_path) as store:
        await stored(store, EXAMPLE)

    with mortal_writer(tmp_path) as (stdin, stdout):
        for _ in range(KILLS):
            acknowledged = killed_round(stdin, stdout, dice.randint(1, LONGEST_ROUND))
            assert is_intact(tmp_path / "kandev.db")
            await check(tmp_path, acknowledged)

    counted, happened = await drained(tmp_path)
    assert counted == happened
