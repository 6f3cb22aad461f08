"""Looking into a database without changing it: is it sound, and what should be around it."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from adapters.sqlite.backup import is_intact
from adapters.sqlite.bookkeeping import Driver, inspect, names_in
from adapters.sqlite.columns import from_text
from adapters.sqlite.connection import connect, fault_of
from adapters.sqlite.sealed import sealed_in
from adapters.sqlite.tasks import CONSUMERS
from adapters.sqlite.upgrade import Unusable
from domain.outcome import Failure, Result, Success, failed
from domain.upgrade import AlteredMigration, NewerDatabase, Program, plan
from ports.store import StoreFault

__all__ = ("Contents", "Untaken", "contents_of", "look_into")

_INSTANTS: Final = (("task_events", "at"), ("credential_ledger", "at"), ("tasks", "created_at"))
"""Where the newest instant that the installation has seen may be."""


class Untaken(NamedTuple):
    """What a consumer of the outbox has not taken yet."""

    events: int
    oldest: datetime


@dataclass(frozen=True, slots=True)
class Contents:
    """What a sound database tells: `pending` migrations are applied by the next start.

    `ended` are executions; `dangling` are tables with rows that refer to nothing; `untaken` has the
    consumers of the outbox that lag behind.
    """

    version: str | None
    pending: int
    sealed: Sequence[bytes]
    tasks: frozenset[str]
    ended: frozenset[str]
    newest: datetime | None
    dangling: Sequence[str]
    untaken: Mapping[str, Untaken]


def look_into(
    database: Path, program: Program, *, quick: bool = False
) -> Result[Contents, Unusable | NewerDatabase | AlteredMigration]:
    """The whole file is read to see that it is sound; `quick` takes the indexes on trust."""
    try:
        if not is_intact(database, quick=quick):
            return Failure(Unusable(str(database), StoreFault.DAMAGED))
        with closing(connect(database, read_only=True)) as driver:
            dangling = {table for table, *_ in driver.execute("PRAGMA foreign_key_check")}
            return contents_of(driver, names_in(driver), dangling, program)
    except sqlite3.Error as error:
        return Failure(Unusable(str(database), fault_of(error)))


def contents_of(
    driver: Driver, names: Collection[str], dangling: Collection[str], program: Program
) -> Result[Contents, NewerDatabase | AlteredMigration]:
    """Of a database that has tables with these names; it is not changed."""
    stored = inspect(driver, names)
    planned = plan(stored, program)
    if failed(planned):
        return planned
    newest = [
        text
        for table, column in _INSTANTS
        if table in names
        for (text,) in driver.execute(f"SELECT max({column}) FROM {table}")  # noqa: S608 -- names of ours
        if text is not None
    ]
    return Success(
        Contents(
            stored.version,
            len(planned.unwrap().pending),
            sealed_in(driver, names),
            _column(driver, names, "tasks", "SELECT id FROM tasks"),
            _column(driver, names, "executions", "SELECT id FROM executions WHERE state = 'ended'"),
            from_text(max(newest)) if newest else None,
            sorted(dangling),
            dict(_untaken(driver, names)),
        )
    )


def _column(driver: Driver, names: Collection[str], table: str, question: str) -> frozenset[str]:
    """What the question finds; nothing where there is no such table yet."""
    if table not in names:
        return frozenset()
    return frozenset(value for (value,) in driver.execute(question))


def _untaken(driver: Driver, names: Collection[str]) -> Iterator[tuple[str, Untaken]]:
    """The consumers that have not taken every event, with what waits for each."""
    if not {"counters", "task_events"} <= set(names):
        return
    counters = list(driver.execute("SELECT name, value FROM counters ORDER BY name"))
    for name, value in counters:
        if name.startswith(CONSUMERS):
            question = "SELECT count(*), min(at) FROM task_events WHERE sequence > ?"
            count, oldest = driver.execute(question, (value,)).fetchone()
            if count:
                yield name.removeprefix(CONSUMERS), Untaken(count, from_text(oldest))
