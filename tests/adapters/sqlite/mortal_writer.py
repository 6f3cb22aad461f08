"""A program that is killed while it writes: `python -m tests.adapters.sqlite.mortal_writer PLACE`.

The place is a home, or the address of a PostgreSQL database. For each line on stdin it forks a child that opens the store and writes until it is killed. The
child says its pid, then the number of each unit once the store acknowledged it. Forking spares each
round the imports.
"""

import asyncio
import os
import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

from adapters.sqlite import checkpointer
from adapters.sqlite.postgresql import pool
from adapters.sqlite.postgresql.store import PostgresStore, open_postgres_store
from adapters.sqlite.store import SqliteStore, open_store
from domain.identity import SessionId, TaskId
from domain.secret import Secret
from domain.session import Session
from domain.task_event import TaskChange
from ports.store import Writer
from tests.contracts.store_examples import NOW, Example, events
from tests.fakes.clock import ManualClock

__all__ = (
    "EVENTS_A_UNIT",
    "EXAMPLE",
    "OTHER",
    "OWNER_SECONDS",
    "TAKE_EVERY",
    "changes_of",
    "opened_at",
    "taken_by",
)

EXAMPLE = Example()
OTHER = replace(EXAMPLE.task, id=TaskId("task_other"), title="Other")
"""A task that comes and goes, with a session that goes with it."""
EVENTS_A_UNIT = 3
TAKE_EVERY = 5
"""One unit in so many also takes what happened to tasks, and counts it."""
OWNER_SECONDS = 60
"""How long PostgreSQL may take to notice that an owner was killed."""


def opened_at(place: str) -> AbstractAsyncContextManager[SqliteStore | PostgresStore]:
    clock = ManualClock(NOW)
    if place.startswith("postgresql:"):
        return open_postgres_store(Secret(place), version="1", clock=clock)
    home = Path(place)
    return open_store(home / "kandev.db", backups=home / "backups", version="1", clock=clock)


def changes_of(number: int) -> list[TaskChange]:
    """What happens to tasks in unit number n."""
    other = {1: [TaskChange.CREATED], 3: [TaskChange.DELETED]}
    return [TaskChange.UPDATED, *other.get(number % 4, [])]


async def write_until_killed(place: str) -> None:
    async with opened_at(place) as store:
        say(os.getpid())
        while True:
            async with store.write() as unit:
                number = await one_more(unit)
            say(number)


async def one_more(unit: Writer) -> int:
    """Write unit number n: what it writes tells n in every table that it touches."""
    session = await unit.session(EXAMPLE.session.id)
    task = await unit.task(EXAMPLE.task.id)
    assert session is not None
    assert task is not None
    number = session.version + 1
    taken, total = taken_by(session)
    first = (number - 1) * EVENTS_A_UNIT + 1
    await unit.append_events(
        session.id, EXAMPLE.execution.id, events(range(first, first + EVENTS_A_UNIT))
    )
    await unit.put_task(replace(task, title=f"{number}"))
    if TaskChange.CREATED in changes_of(number):
        await unit.put_task(OTHER)
        other = replace(EXAMPLE.session, id=SessionId("ses_other"), task=OTHER.id)
        await unit.add_session(replace(other, execution=None))
    elif TaskChange.DELETED in changes_of(number):
        assert await unit.remove_task(OTHER.id)
    if number % TAKE_EVERY == 0:
        found = await unit.take_task_events("counter", 100)
        taken, total = taken + len(found), total + sum(each.sequence for each in found)
    assert await unit.save_session(replace(session, metadata={"taken": taken, "total": total}))
    return number


def taken_by(session: Session) -> tuple[int, int]:
    """The count of the events that the consumer took, and the sum of their numbers."""
    taken, total = session.metadata.get("taken", 0), session.metadata.get("total", 0)
    assert isinstance(taken, int)
    assert isinstance(total, int)
    return taken, total


def say(number: int) -> None:
    os.write(1, b"%d\n" % number)


def main(place: str) -> None:
    pool.HELD_SECONDS = OWNER_SECONDS  # type: ignore[misc]  # a slow machine is no other owner
    checkpointer.LINGER_SECONDS = 0.002  # type: ignore[misc]  # so that checkpoints are killed too
    while sys.stdin.readline():
        child = os.fork()
        if child == 0:
            asyncio.run(write_until_killed(place))
        os.waitpid(child, 0)
        say(0)


if __name__ == "__main__":
    main(sys.argv[1])
