"""One held connection of psycopg, and what its errors mean.

An error never carries the address of the database: there is a password in it.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import psycopg

from adapters.sqlite.connection import Row
from adapters.sqlite.postgresql.dialect import compiled
from adapters.sqlite.statement import Statement
from domain.secret import Secret
from ports.store import StoreFault, StoreUnavailable

__all__ = ("CONNECT_SECONDS", "STATEMENT_SECONDS", "Connection", "connect", "fault_of", "options")

CONNECT_SECONDS: Final = 10
"""How long a connection may take to come about."""
STATEMENT_SECONDS: Final = 30
"""How long one statement may take, and how long a peer that is gone is waited for."""

Driver = psycopg.AsyncConnection[Row]

_FAULTS: Final = {
    "25006": StoreFault.READ_ONLY,
    "40001": StoreFault.BUSY,
    "40P01": StoreFault.BUSY,
    "42501": StoreFault.READ_ONLY,
    "53100": StoreFault.DISK_FULL,
    "53300": StoreFault.BUSY,
    "55P03": StoreFault.BUSY,
    "57014": StoreFault.BUSY,
    "XX001": StoreFault.DAMAGED,
    "XX002": StoreFault.DAMAGED,
}


def fault_of(error: psycopg.Error) -> StoreFault:
    """What a failure of the world means, by SQLSTATE (PostgreSQL's manual, appendix A)."""
    return _FAULTS.get(error.sqlstate or "", StoreFault.UNREADABLE)


def options() -> dict[str, Any]:  # Any: what libpq takes, numbers and words
    """How every connection is made."""
    return {
        "autocommit": True,
        "application_name": "kandev",
        "client_encoding": "utf8",
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": STATEMENT_SECONDS * 1000,
    }


async def connect(address: Secret) -> "Connection":
    """Open for transactions that the caller begins and ends; raises `StoreUnavailable`."""
    try:
        driver = await psycopg.AsyncConnection.connect(address.reveal(), **options())
    except psycopg.Error as error:
        raise StoreUnavailable(fault_of(error)) from None
    connection = Connection(driver)
    try:
        await connection.tell(f"SET statement_timeout = '{STATEMENT_SECONDS}s'")
    except BaseException:
        await connection.close()
        raise
    return connection


class Connection:
    """Executes compiled statements; PostgreSQL refuses what follows a failure in a transaction."""

    __slots__ = ("_driver", "_fault")

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._fault: StoreFault | None = None

    @property
    def is_broken(self) -> bool:
        """Whether the server is gone, or has ended the session."""
        return self._driver.closed

    async def one(self, statement: Statement, values: Mapping[str, object]) -> Row | None:
        cursor = await self._execute(statement, values)
        return await cursor.fetchone()

    async def rows(self, statement: Statement, values: Mapping[str, object]) -> Sequence[Row]:
        cursor = await self._execute(statement, values)
        return await cursor.fetchall()

    async def run(self, statement: Statement, values: Mapping[str, object]) -> int:
        cursor = await self._execute(statement, values)
        return cursor.rowcount

    async def run_many(self, statement: Statement, rows: Iterable[Mapping[str, object]]) -> None:
        text = compiled(statement)
        arguments = [_fit(text.arguments(row)) for row in rows]
        try:
            async with self._driver.cursor() as cursor:
                await cursor.executemany(text.sql.encode(), arguments)
        except psycopg.Error as error:
            raise self._failure(error) from error

    async def tell(self, command: str) -> Row | None:
        """Execute a command without values; its first row, if it has any."""
        try:
            cursor = await self._driver.execute(command.encode())
            return await cursor.fetchone() if cursor.description else None
        except psycopg.Error as error:
            raise self._failure(error) from error

    async def begin(self) -> None:
        """From the first question on, one state is seen."""
        self._fault = None
        await self.tell("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    async def begin_writing(self) -> None:
        self._fault = None
        await self.tell("BEGIN")

    async def commit(self) -> None:
        """A transaction in which something failed is not committed, whoever caught the failure."""
        if self._fault is not None:
            raise StoreUnavailable(self._fault)
        await self.tell("COMMIT")

    async def roll_back(self) -> bool:
        """End the transaction without its changes; False when the connection is of no more use."""
        with suppress(StoreUnavailable):
            await self.tell("ROLLBACK")
            return True
        return False

    async def close(self) -> None:
        await self._driver.close()

    async def _execute(
        self, statement: Statement, values: Mapping[str, object]
    ) -> psycopg.AsyncCursor[Row]:
        text = compiled(statement)
        try:
            return await self._driver.execute(text.sql.encode(), _fit(text.arguments(values)))
        except psycopg.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: psycopg.Error) -> Exception:
        """What to raise: a broken constraint is a mistake of ours, and stays what it is."""
        of_the_world = isinstance(error, psycopg.OperationalError | psycopg.InternalError)
        if of_the_world or error.sqlstate in _FAULTS:
            self._fault = self._fault or fault_of(error)
            return StoreUnavailable(self._fault)
        return error


def _fit(values: tuple[object, ...]) -> tuple[object, ...]:
    """What PostgreSQL can store: its text has no NUL, for which the symbol of one stands in."""
    return tuple([
        value.replace("\0", "\N{SYMBOL FOR NULL}") if isinstance(value, str) else value
        for value in values
    ])
