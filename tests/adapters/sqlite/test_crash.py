"""Processes that are killed while they write."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from adapters.sqlite.backup import is_intact
from adapters.sqlite.postgresql import pool
from domain.task_event import TaskChange
from tests.adapters.sqlite.mortal_writer import (
    EVENTS_A_UNIT,
    EXAMPLE,
    OTHER,
    OWNER_SECONDS,
    changes_of,
    opened_at,
    taken_by,
)
from tests.contracts.store_examples import stored
from tests.contracts.stores import KINDS
from tests.postgres import Postgres
from tests.requirements import requirement
from tests.soak import SOAKING, repetitions

ROOT = Path(__file__).parents[3]
KILLS = 50
FEWER_KILLS = 12
"""As many of a writer to PostgreSQL in a plain run, since each takes longer."""
LONGEST_ROUND = 30
"""Acknowledged units after which a round is killed at the latest."""


@contextmanager
def mortal_writer(place: str) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """Its stdin and stdout; it has ended, and its child with it, when the block has."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.sqlite.mortal_writer", place],
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
            process.wait(timeout=60)


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


async def check(place: str, acknowledged: int) -> None:
    """That nothing acknowledged is lost and everything stored agrees with everything else."""
    async with opened_at(place) as store, store.read() as state:
        session = await state.session(EXAMPLE.session.id)
        task = await state.task(EXAMPLE.task.id)
        execution = await state.execution(EXAMPLE.execution.id)
        found = await state.events(EXAMPLE.session.id, 0, 10**9)
        happened = await state.task_events(0, 10**9)
        other = await state.task(OTHER.id)
        others = await state.sessions(OTHER.id)
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
        *(change for unit in range(1, number + 1) for change in changes_of(unit)),
    ]
    titles = [each.task.title for each in happened[1:] if each.task.id == EXAMPLE.task.id]
    assert titles == [f"{n}" for n in range(1, number + 1)]
    assert (other is not None) == (number % 4 in {1, 2})
    assert bool(others) == (other is not None)


async def drained(place: str) -> tuple[Sequence[int], Sequence[int]]:
    """The count and the sum of the events that the consumer took in the end, and of all."""
    async with opened_at(place) as store, store.write() as unit:
        session = await unit.session(EXAMPLE.session.id)
        assert session is not None
        taken, total = taken_by(session)
        rest = [each.sequence for each in await unit.take_task_events("counter", 10**9)]
        every = [each.sequence for each in await unit.task_events(0, 10**9)]
    return [taken + len(rest), total + sum(rest)], [len(every), sum(every)]


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store is to be: a home, or a database of PostgreSQL that is empty."""
    if request.param == "sqlite":
        return str(tmp_path)
    server: Postgres = request.getfixturevalue("postgres")
    return server.address(server.database()).reveal()


@requirement("store:crash:nothing-lost")
@pytest.mark.soak
@pytest.mark.anyio
@pytest.mark.parametrize("seed", repetitions(20))
async def test_a_writer_killed_again_and_again_loses_nothing_acknowledged(
    place: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "HELD_SECONDS", OWNER_SECONDS)
    dice = random.Random(seed)
    async with opened_at(place) as store:
        await stored(store, EXAMPLE)
    database = Path(place) / "kandev.db"

    with mortal_writer(place) as (stdin, stdout):
        for _ in range(KILLS if database.exists() or SOAKING else FEWER_KILLS):
            acknowledged = killed_round(stdin, stdout, dice.randint(1, LONGEST_ROUND))
            assert not database.exists() or is_intact(database)
            await check(place, acknowledged)

    counted, happened = await drained(place)
    assert counted == happened
