"""Bringing a database to this program's schema before anyone uses it.

Look without changing anything, decide, copy, migrate, and record the version last: a start that
dies on the way leaves a database that the next start brings there.
"""

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, TypeAlias

from adapters.sqlite.backup import BackupFailed, copy_before_upgrade
from adapters.sqlite.bookkeeping import inspect, names_in, record_version
from adapters.sqlite.columns import to_text
from adapters.sqlite.connection import connect, fault_of, fault_of_system
from domain.outcome import Failure, Result, Success, failed
from domain.upgrade import AlteredMigration, Migration, NewerDatabase, Program, Stored, plan
from ports.store import StoreFault

__all__ = (
    "DatabaseHeld",
    "MigrationFailed",
    "OpenProblem",
    "Unusable",
    "Upgraded",
    "known_migrations",
    "upgrade",
)

_MIGRATIONS: Final = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Unusable:
    """The file at `path` cannot be read or written as a database."""

    path: str
    fault: StoreFault


@dataclass(frozen=True, slots=True)
class MigrationFailed:
    """The migration could not be applied; `reason` is the database's. Nothing was changed."""

    revision: str
    reason: str


@dataclass(frozen=True, slots=True)
class DatabaseHeld:
    """Another server owns the database."""


OpenProblem: TypeAlias = (
    Unusable | DatabaseHeld | NewerDatabase | AlteredMigration | BackupFailed | MigrationFailed
)


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What was done: the copy made before, the revisions applied, and whether the version stuck.

    Where the version could not be recorded, the next start makes a copy again.
    """

    backup: Path | None
    applied: tuple[str, ...]
    version_recorded: bool


def known_migrations() -> tuple[Migration, ...]:
    """The migrations of this program in order, each with the SHA-256 of its text."""
    return tuple(
        Migration(file.stem, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in sorted(_MIGRATIONS.glob("v[0-9]*.py"))
    )


def upgrade(
    database: Path, backups: Path, program: Program, at: datetime
) -> Result[Upgraded, OpenProblem]:
    """Make the database ready for `program`; after a failure it is as it was."""
    looked = _look(database)
    if failed(looked):
        return looked
    stored = looked.unwrap()
    planned = plan(stored, program)
    if failed(planned):
        return planned
    todo = planned.unwrap()
    backup = None
    if todo.backup:
        copied = copy_before_upgrade(database, backups, stored.version, at)
        if failed(copied):
            return copied
        backup = copied.unwrap()
    if not todo.pending and not todo.record_version:
        return Success(Upgraded(None, (), version_recorded=True))
    try:
        with closing(_create(database)) as driver:
            done = _apply(driver, todo.pending, at)
            if failed(done):
                return done
            recorded = _record(driver, program.version)
    except sqlite3.Error as error:
        return Failure(Unusable(str(database), fault_of(error)))
    except OSError as error:
        return Failure(Unusable(str(database), fault_of_system(error)))
    return Success(Upgraded(backup, tuple(each.revision for each in todo.pending), recorded))


def _look(database: Path) -> Result[Stored, Unusable]:
    if not database.exists():
        return Success(Stored(None, (), has_tables=False))
    try:
        with closing(connect(database, read_only=True)) as driver:
            return Success(inspect(driver, names_in(driver)))
    except sqlite3.Error as error:
        return Failure(Unusable(str(database), fault_of(error)))


def _create(database: Path) -> sqlite3.Connection:
    """Open for migrating; a new file is the owner's alone, as are the logs that SQLite makes."""
    os.close(os.open(database, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    return connect(database)


def _apply(
    driver: sqlite3.Connection, pending: Sequence[Migration], at: datetime
) -> Result[None, MigrationFailed]:
    if not pending:
        return Success(None)
    # Alembic takes half a second to import: a start with nothing to apply does without.
    from adapters.sqlite.migrate import Broken, apply  # noqa: PLC0415

    try:
        apply(driver, pending, to_text(at))
    except Broken as broken:
        return Failure(MigrationFailed(broken.revision, broken.reason))
    return Success(None)


def _record(driver: sqlite3.Connection, version: str) -> bool:
    try:
        record_version(driver, version)
    except sqlite3.Error:
        return False
    return True
