"""What a database says of itself: `kandev_meta` and the ledger of its migrations."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, Protocol

from domain.upgrade import Migration, Stored

__all__ = ("Driver", "inspect", "names_in", "record_migration", "record_version", "set_up")

_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS kandev_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS kandev_migrations
    (revision TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)""",
)
_VERSION: Final = "kandev_version"


class Cursor(Protocol):
    def fetchone(self) -> Any: ...  # Any: a row, as the driver gives it
    def __iter__(self) -> Iterator[Any]: ...  # Any: as above


class Driver(Protocol):
    """Executes SQL with `?` for each value; a connection of `sqlite3` is one."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Cursor: ...  # Any: any value


def names_in(driver: sqlite3.Connection) -> Collection[str]:
    """The tables of an SQLite database, less SQLite's own."""
    return {
        name
        for (name,) in driver.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' "
            "ESCAPE '!'"
        )
    }


def inspect(driver: Driver, names: Collection[str]) -> Stored:
    """Read what a database with these tables says of itself; it is not changed."""
    version = None
    if "kandev_meta" in names:
        row = driver.execute("SELECT value FROM kandev_meta WHERE key = ?", (_VERSION,)).fetchone()
        version = str(row[0]) if row else None
    applied: tuple[Migration, ...] = ()
    if "kandev_migrations" in names:
        rows = driver.execute("SELECT revision, checksum FROM kandev_migrations ORDER BY revision")
        applied = tuple(Migration(revision, checksum) for revision, checksum in rows)
    return Stored(version or None, applied, bool(set(names) - {"kandev_meta"}))


def set_up(driver: Driver, at: str) -> None:
    for statement in _TABLES:
        driver.execute(statement)
    driver.execute(
        "INSERT INTO kandev_meta VALUES ('schema_initialized_at', ?) ON CONFLICT DO NOTHING", (at,)
    )


def record_migration(driver: Driver, migration: Migration, at: str) -> None:
    driver.execute("INSERT INTO kandev_migrations VALUES (?, ?, ?)", (*migration, at))


def record_version(driver: Driver, version: str) -> None:
    driver.execute(
        "INSERT INTO kandev_meta VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (_VERSION, version),
    )
