"""Bringing a PostgreSQL database to this program's schema, by the migrations that SQLite has.

Whoever calls owns the database. No copy is made: that is for the operator, with `pg_dump`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import psycopg
import structlog
from sqlalchemy import Connection, CursorResult, Engine, create_engine
from sqlalchemy.dialects import registry
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from adapters.sqlite.bookkeeping import inspect, record_migration, record_version, set_up
from adapters.sqlite.columns import to_text
from adapters.sqlite.postgresql.connection import fault_of, options
from adapters.sqlite.upgrade import MigrationFailed, OpenProblem, Unusable, Upgraded
from domain.outcome import Failure, Result, Success, failed
from domain.secret import Secret
from domain.upgrade import Migration, Program, Stored, plan
from ports.store import StoreFault

__all__ = ("NAME", "upgrade")

NAME: Final = "the PostgreSQL database"
"""What it is called where SQLite has a path: its address has a password in it."""

_TABLES: Final = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema"
)

registry.register("kandev.psycopg", "adapters.sqlite.postgresql.dialect", "TableDialect")

log = structlog.get_logger()


class _Asking:
    """SQL with `?` for each value, on SQLAlchemy's connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> CursorResult[Any]:  # Any: rows
        return self._connection.exec_driver_sql(sql.replace("?", "%s"), tuple(values))


class _Broken(Exception):  # noqa: N818 -- it says what is, and is caught by the one caller
    def __init__(self, failed: MigrationFailed) -> None:
        super().__init__(failed.revision)
        self.failed = failed


def upgrade(address: Secret, program: Program, at: datetime) -> Result[Upgraded, OpenProblem]:
    """Make the database ready for `program`; after a failure it is as it was."""
    made = {**options(), "autocommit": False}
    engine = create_engine(
        "kandev+psycopg://",
        creator=lambda: psycopg.connect(address.reveal(), **made),
        poolclass=NullPool,
    )
    try:
        return _upgrade(engine, program, at)
    except DBAPIError as error:
        return Failure(Unusable(NAME, _fault(error)))
    except psycopg.Error as error:
        return Failure(Unusable(NAME, fault_of(error)))
    finally:
        engine.dispose()


def _upgrade(engine: Engine, program: Program, at: datetime) -> Result[Upgraded, OpenProblem]:
    with engine.begin() as connection:
        stored = _look(connection)
    planned = plan(stored, program)
    if failed(planned):
        return planned
    todo = planned.unwrap()
    if todo.backup:
        log.warning("no_backup_is_made_of_postgresql", version=stored.version, remedy="pg_dump")
    if todo.pending:
        try:
            with engine.begin() as connection:
                _apply(connection, todo.pending, to_text(at))
        except _Broken as broken:
            return Failure(broken.failed)
    recorded = not todo.record_version or _record(engine, program.version)
    return Success(Upgraded(None, tuple(each.revision for each in todo.pending), recorded))


def _look(connection: Connection) -> Stored:
    names = {name for (name,) in connection.exec_driver_sql(_TABLES)}
    return inspect(_Asking(connection), names)


def _apply(connection: Connection, pending: Sequence[Migration], at: str) -> None:
    # Alembic takes half a second to import: a start with nothing to apply does without.
    from adapters.sqlite.migrate import run  # noqa: PLC0415

    asking = _Asking(connection)
    set_up(asking, at)
    for migration in pending:
        try:
            run(connection, migration.revision)
        except DBAPIError as error:
            if _fault(error) is StoreFault.DISK_FULL:
                raise
            raise _Broken(MigrationFailed(migration.revision, str(error.orig))) from error
        record_migration(asking, migration, at)


def _record(engine: Engine, version: str) -> bool:
    try:
        with engine.begin() as connection:
            record_version(_Asking(connection), version)
    except DBAPIError:
        return False
    return True


def _fault(error: DBAPIError) -> StoreFault:
    cause = error.orig
    return fault_of(cause) if isinstance(cause, psycopg.Error) else StoreFault.UNREADABLE
