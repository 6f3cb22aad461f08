"""A program that is killed while it writes: `python -m tests.adapters.sqlite.mortal_writer HOME`.

For each line on stdin it forks a child that opens the store and writes until it is killed. The
child says its pid, then the number of each unit once the store acknowledged it. Forking spares each
round the imports.
"""

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

from adapters.sqlite import checkpointer
from adapters.sqlite.store import open_store
from ports.store import Writer
from tests.contracts.store_examples import NOW, Example, events
from tests.fakes.clock import ManualClock

__all__ = ("EVENTS_A_UNIT", "EXAMPLE", "TAKE_EVERY")

EXAMPLE = Example()
EVENTS_A_UNIT = 3
TAKE_EVERY = 5
"""One unit in so many also takes what happened to tasks, and counts it."""


async def write_until_killed(home: Path) -> None:
    async with open_store(
        home / "kandev.db", backups=home / "backups", version="1", clock=ManualClock(NOW)
    ) as store:
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
    taken = session.metadata.get("taken", 0)
    assert isinstance(taken, int)
    first = (number - 1) * EVENTS_A_UNIT + 1
    await unit.append_events(
        session.id, EXAMPLE.execution.id, events(range(first, first + EVENTS_A_UNIT))
    )
    await unit.put_task(replace(task, title=f"{number}"))
    if number % TAKE_EVERY == 0:
        taken += len(await unit.take_task_events("counter", 100))
    assert await unit.save_session(replace(session, metadata={"taken": taken}))
    return number


def say(number: int) -> None:
    os.write(1, b"%d\n" % number)


def main(home: Path) -> None:
    checkpointer.LINGER_SECONDS = 0.002  # type: ignore[misc]  # so that checkpoints are killed too
    while sys.stdin.readline():
        child = os.fork()
        if child == 0:
            asyncio.run(write_until_killed(home))
        os.waitpid(child, 0)
        say(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
