"""Looking into a PostgreSQL database without changing it, also beside the server that owns it."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import psycopg
from psycopg import sql

from adapters.sqlite.checkup import Contents, contents_of
from adapters.sqlite.postgresql.connection import STATEMENT_SECONDS, fault_of, options
from adapters.sqlite.postgresql.upgrade import NAME
from adapters.sqlite.upgrade import Unusable
from domain.outcome import Failure, Result
from domain.secret import Secret
from domain.upgrade import AlteredMigration, NewerDatabase, Program

__all__ = ("look_into_postgresql",)

_TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema"
_REFERENCES = """
SELECT child.relname, own.attname, parent.relname, key.attname
FROM pg_constraint AS reference
JOIN pg_class AS child ON child.oid = reference.conrelid
JOIN pg_class AS parent ON parent.oid = reference.confrelid
JOIN pg_attribute AS own ON own.attrelid = child.oid AND own.attnum = reference.conkey[1]
JOIN pg_attribute AS key ON key.attrelid = parent.oid AND key.attnum = reference.confkey[1]
WHERE reference.contype = 'f' AND reference.connamespace = current_schema::regnamespace
ORDER BY 1, 2
"""
"""Every foreign key, each of one column."""
_DANGLING = """
SELECT EXISTS (SELECT FROM {child} WHERE {own} IS NOT NULL
AND NOT EXISTS (SELECT FROM {parent} WHERE {parent}.{key} = {child}.{own}))
"""


class _Asking:
    """SQL with `?` for each value, on psycopg's connection."""

    def __init__(self, driver: psycopg.Connection[tuple[Any, ...]]) -> None:  # Any: a column
        self._driver = driver

    def execute(
        self,
        question: str,
        values: Sequence[Any] = (),  # Any: any value
        /,
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        return self._driver.execute(question.replace("?", "%s").encode(), tuple(values))


def look_into_postgresql(
    address: Secret, program: Program
) -> Result[Contents, Unusable | NewerDatabase | AlteredMigration] | None:
    """One state is seen; None of a database without tables."""
    made = {**options(), "autocommit": False}
    try:
        with closing(psycopg.connect(address.reveal(), **made)) as driver:
            driver.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            driver.read_only = True
            driver.execute(f"SET statement_timeout = '{STATEMENT_SECONDS}s'".encode())
            names = {name for (name,) in driver.execute(_TABLES)}
            if not names:
                return None
            return contents_of(_Asking(driver), names, set(_dangling(driver)), program)
    except psycopg.Error as error:
        return Failure(Unusable(NAME, fault_of(error)))


def _dangling(driver: psycopg.Connection[tuple[Any, ...]]) -> Iterator[str]:
    """The tables with a row that refers to nothing, which a key that was set aside lets in."""
    for child, own, parent, key in driver.execute(_REFERENCES).fetchall():
        names = {"child": child, "own": own, "parent": parent, "key": key}
        quoted = {name: sql.Identifier(value) for name, value in names.items()}
        found = driver.execute(sql.SQL(_DANGLING).format(**quoted)).fetchone()
        if found == (True,):
            yield child
