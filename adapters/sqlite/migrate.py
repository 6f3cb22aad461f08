"""Applying migrations with Alembic's operations: all of them in one transaction, or none.

Alembic is imported here and nowhere else. The ledger is ours, so its own is not made. Foreign keys
are off meanwhile, since rebuilding a table drops it, and are checked before the end.
"""

import sqlite3
from collections.abc import Sequence
from importlib import import_module

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from adapters.sqlite.bookkeeping import record_migration, set_up
from adapters.sqlite.connection import fault_of
from domain.upgrade import Migration
from ports.store import StoreFault

__all__ = ("Broken", "apply", "run")


class Broken(Exception):  # noqa: N818 -- it says what is, and is caught by the one caller
    """A migration could not be applied, and none was; `reason` is the database's."""

    def __init__(self, revision: str, reason: str) -> None:
        super().__init__(revision, reason)
        self.revision = revision
        self.reason = reason


def apply(driver: sqlite3.Connection, pending: Sequence[Migration], at: str) -> None:
    """Apply in order and record each, or leave the database as it was.

    Raises `Broken` for a migration that cannot be, `sqlite3.Error` where the disk takes no more.
    """
    engine = create_engine("sqlite://", creator=lambda: driver, poolclass=StaticPool)
    event.listen(engine, "begin", lambda _: driver.execute("BEGIN IMMEDIATE"))
    driver.execute("PRAGMA foreign_keys=OFF")
    try:
        with engine.begin() as connection:
            set_up(driver, at)
            for migration in pending:
                _run(connection, migration.revision)
                record_migration(driver, migration, at)
            dangling = driver.execute("PRAGMA foreign_key_check").fetchone()
            if dangling is not None:
                raise Broken(pending[-1].revision, f"a row of {dangling[0]} refers to nothing")
    except DBAPIError as error:
        raise _cause(error) from error


def run(connection: Connection, revision: str) -> None:
    """Apply one migration in the connection's transaction; raises `DBAPIError`."""
    module = import_module(f"adapters.sqlite.migrations.{revision}")
    context = MigrationContext.configure(connection, opts={"render_as_batch": True})
    with Operations.context(context):
        module.upgrade()


def _run(connection: Connection, revision: str) -> None:
    try:
        run(connection, revision)
    except DBAPIError as error:
        if fault_of(_cause(error)) is StoreFault.DISK_FULL:
            raise
        raise Broken(revision, str(error.orig)) from error


def _cause(error: DBAPIError) -> sqlite3.Error:
    """The driver's own error."""
    return error.orig if isinstance(error.orig, sqlite3.Error) else sqlite3.Error(str(error))
