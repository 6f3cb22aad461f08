"""One held connection of the driver, and what its errors mean.

Statements run on the caller's thread: a point read costs less than any hop to another. The methods
are coroutines all the same, since another driver's would be.
"""

import errno
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
    "fault_of_system",
    "is_busy",
    "keep_a_log",
    "unavailable",
)

Row: TypeAlias = tuple[Any, ...]
"""What the driver gives: untyped, and read by the one function that knows the statement."""

BUSY_MILLISECONDS: Final = 5_000
"""How long a reader waits for another process that recovers or closes the database."""
PAGE_BYTES: Final = 4_096
_CACHE_KIBIBYTES: Final = 32_000
_ANALYSED_ROWS: Final = 400

_FAULTS = {
    sqlite3.SQLITE_BUSY: StoreFault.BUSY,
    sqlite3.SQLITE_LOCKED: StoreFault.BUSY,
    sqlite3.SQLITE_FULL: StoreFault.DISK_FULL,
    sqlite3.SQLITE_READONLY: StoreFault.READ_ONLY,
    sqlite3.SQLITE_PERM: StoreFault.READ_ONLY,
    sqlite3.SQLITE_CORRUPT: StoreFault.DAMAGED,
    sqlite3.SQLITE_NOTADB: StoreFault.DAMAGED,
}
_SYSTEM_FAULTS = {
    errno.ENOSPC: StoreFault.DISK_FULL,
    errno.EDQUOT: StoreFault.DISK_FULL,
    errno.EACCES: StoreFault.READ_ONLY,
    errno.EPERM: StoreFault.READ_ONLY,
    errno.EROFS: StoreFault.READ_ONLY,
}


def fault_of(error: sqlite3.Error) -> StoreFault:
    """What a failure of the world means; the driver's text may hold paths and is not repeated."""
    return _FAULTS.get(_primary(error), StoreFault.UNREADABLE)


def fault_of_system(error: OSError) -> StoreFault:
    """The same, of what the file system says."""
    return _SYSTEM_FAULTS.get(error.errno or 0, StoreFault.UNREADABLE)


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


def keep_a_log(driver: sqlite3.Connection) -> None:
    """Have the database keep a write-ahead log, which a copy that was put in its place does not.

    Raises `sqlite3.OperationalError` where the file system cannot have one.
    """
    if driver.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
        raise sqlite3.OperationalError("the database cannot keep a write-ahead log")


class Connection:
    """Executes compiled statements, in a transaction that its owner begins and ends.

    SQLite may end a transaction by itself when the world fails. What was to follow in it is refused
    then: it would be stored alone.
    """

    __slots__ = ("_driver", "_fault")

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver
        self._fault: StoreFault | None = None

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
        if self._fault is not None:
            raise StoreUnavailable(self._fault)
        text = compiled(statement)
        try:
            self._driver.executemany(text.sql, [text.arguments(row) for row in rows])
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def begin(self) -> None:
        """From the first question on, one state is seen."""
        self._fault = None
        self._driver.execute("BEGIN")

    def take_the_writer(self) -> None:
        """Begin to write; raises `sqlite3.OperationalError` when another connection writes."""
        self._fault = None
        self._driver.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        if self._fault is not None:
            raise StoreUnavailable(self._fault)
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

    def tidy(self) -> None:
        """Let SQLite refresh what it knows of the tables' sizes; it decides whether to."""
        with suppress(sqlite3.OperationalError):
            self._driver.execute(f"PRAGMA analysis_limit={_ANALYSED_ROWS}")
            self._driver.execute("PRAGMA optimize")

    def forbid_changes(self) -> None:
        self._driver.execute("PRAGMA query_only=ON")

    def close(self) -> None:
        self._driver.close()

    def _execute(self, statement: Statement, values: Mapping[str, object]) -> sqlite3.Cursor:
        if self._fault is not None:
            raise StoreUnavailable(self._fault)
        text = compiled(statement)
        try:
            return self._driver.execute(text.sql, text.arguments(values))
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def _failure(self, error: sqlite3.DatabaseError) -> Exception:
        """What to raise: a broken constraint is a mistake of ours, and stays what it is."""
        if isinstance(error, sqlite3.OperationalError) or _primary(error) in _FAULTS:
            self._fault = fault_of(error)
            return StoreUnavailable(self._fault)
        return error


def _primary(error: sqlite3.Error) -> int:
    """The primary result code; an error of the driver's own has none."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
