"""One held connection of the driver, and what its errors mean.

Statements run on the caller's thread: a point read costs less than any hop to another. The methods
are coroutines all the same, since another driver's would be.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from adapters.sqlite.statement import Statement, compiled
from ports.store import StoreFault, StoreUnavailable

__all__ = (
    "BUSY_MILLISECONDS",
    "PAGE_BYTES",
    "Connection",
    "Row",
    "connect",
    "fault_of",
    "is_busy",
    "unavailable",
)

Row: TypeAlias = tuple[Any, ...]
"""What the driver gives: untyped, and read by the one function that knows the statement."""

BUSY_MILLISECONDS: Final = 5_000
"""How long a reader waits for another process that recovers or closes the database."""
PAGE_BYTES: Final = 4_096
_CACHE_KIBIBYTES: Final = 32_000

_FAULTS = {
    sqlite3.SQLITE_BUSY: StoreFault.BUSY,
    sqlite3.SQLITE_LOCKED: StoreFault.BUSY,
    sqlite3.SQLITE_FULL: StoreFault.DISK_FULL,
    sqlite3.SQLITE_READONLY: StoreFault.READ_ONLY,
    sqlite3.SQLITE_PERM: StoreFault.READ_ONLY,
    sqlite3.SQLITE_CORRUPT: StoreFault.DAMAGED,
    sqlite3.SQLITE_NOTADB: StoreFault.DAMAGED,
}


def fault_of(error: sqlite3.Error) -> StoreFault:
    """What a failure of the world means; the driver's text may hold paths and is not repeated."""
    return _FAULTS.get(_primary(error), StoreFault.UNREADABLE)


def is_busy(error: sqlite3.Error) -> bool:
    return _primary(error) == sqlite3.SQLITE_BUSY


def unavailable(error: sqlite3.Error) -> StoreUnavailable:
    return StoreUnavailable(fault_of(error))


def connect(
    path: Path, *, busy: int = BUSY_MILLISECONDS, read_only: bool = False
) -> sqlite3.Connection:
    """Open an existing database for autocommit; the caller begins and ends transactions itself.

    It may be handed to another thread, but never used by two at once.
    """
    driver = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        driver.execute(f"PRAGMA busy_timeout={busy}")
        driver.execute("PRAGMA foreign_keys=ON")
        driver.execute("PRAGMA synchronous=NORMAL")
        driver.execute("PRAGMA temp_store=MEMORY")
        driver.execute(f"PRAGMA cache_size=-{_CACHE_KIBIBYTES}")
        driver.execute("PRAGMA wal_autocheckpoint=0")
    except sqlite3.Error:
        driver.close()
        raise
    return driver


class Connection:
    """Executes compiled statements; inside a transaction only, which its owner begins and ends."""

    __slots__ = ("_driver",)

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    async def one(self, statement: Statement, values: Mapping[str, object]) -> Row | None:
        """The first row, None when there is none."""
        row: Row | None = self._execute(statement, values).fetchone()
        return row

    async def rows(self, statement: Statement, values: Mapping[str, object]) -> Sequence[Row]:
        return self._execute(statement, values).fetchall()

    async def run(self, statement: Statement, values: Mapping[str, object]) -> int:
        """Execute a change; the count of rows that it matched."""
        return self._execute(statement, values).rowcount

    async def run_many(self, statement: Statement, rows: Iterable[Mapping[str, object]]) -> None:
        text = compiled(statement)
        try:
            self._driver.executemany(text.sql, [text.arguments(row) for row in rows])
        except sqlite3.OperationalError as error:
            raise unavailable(error) from error

    def begin(self) -> None:
        """From the first question on, one state is seen."""
        self._driver.execute("BEGIN")

    def take_the_writer(self) -> None:
        """Begin to write; raises `sqlite3.OperationalError` when another connection writes."""
        self._driver.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        try:
            self._driver.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise unavailable(error) from error

    def roll_back(self) -> None:
        """End the transaction without its changes."""
        try:
            self._driver.execute("ROLLBACK")
        except sqlite3.OperationalError:  # a failure of the disk has ended it
            return

    def forbid_changes(self) -> None:
        self._driver.execute("PRAGMA query_only=ON")

    def close(self) -> None:
        self._driver.close()

    def _execute(self, statement: Statement, values: Mapping[str, object]) -> sqlite3.Cursor:
        text = compiled(statement)
        try:
            return self._driver.execute(text.sql, text.arguments(values))
        except sqlite3.OperationalError as error:
            raise unavailable(error) from error
        except sqlite3.DatabaseError as error:
            if _primary(error) in _FAULTS:
                raise unavailable(error) from error
            raise


def _primary(error: sqlite3.Error) -> int:
    """The primary result code; an error of the driver's own has none."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
