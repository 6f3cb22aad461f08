"""Looking into a database without changing it: is it sound, and what should be around it."""

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from adapters.sqlite.backup import is_intact
from adapters.sqlite.bookkeeping import inspect, names_in
from adapters.sqlite.columns import from_text
from adapters.sqlite.connection import connect, fault_of
from adapters.sqlite.sealed import sealed_in
from adapters.sqlite.upgrade import Unusable
from domain.outcome import Failure, Result, Success, failed
from domain.upgrade import AlteredMigration, NewerDatabase, Program, plan
from ports.store import StoreFault

__all__ = ("Contents", "look_into")

_INSTANTS: Final = (("task_events", "at"), ("credential_ledger", "at"), ("tasks", "created_at"))
"""Where the newest instant that the installation has seen may be."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a sound database tells: `pending` migrations are applied by the next start."""

    pending: int
    sealed: Sequence[bytes]
    tasks: frozenset[str]
    ended: frozenset[str]
    newest: datetime | None


def look_into(
    database: Path, program: Program
) -> Result[Contents, Unusable | NewerDatabase | AlteredMigration]:
    """The whole file is read to see that it is sound. `ended` are executions."""
    try:
        if not is_intact(database):
            return Failure(Unusable(str(database), StoreFault.DAMAGED))
        with closing(connect(database, read_only=True)) as driver:
            names = names_in(driver)
            planned = plan(inspect(driver, names), program)
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
                    len(planned.unwrap().pending),
                    sealed_in(driver),
                    _column(driver, names, "tasks", "SELECT id FROM tasks"),
                    _column(
                        driver,
                        names,
                        "executions",
                        "SELECT id FROM executions WHERE state = 'ended'",
                    ),
                    from_text(max(newest)) if newest else None,
                )
            )
    except sqlite3.Error as error:
        return Failure(Unusable(str(database), fault_of(error)))


def _column(
    driver: sqlite3.Connection, names: Collection[str], table: str, question: str
) -> frozenset[str]:
    """What the question finds; nothing where there is no such table yet."""
    if table not in names:
        return frozenset()
    return frozenset(value for (value,) in driver.execute(question))
