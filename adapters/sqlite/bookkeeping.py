"""What a database says of itself: `kandev_meta` and the ledger of its migrations."""

import sqlite3
from typing import Final

from domain.upgrade import Migration, Stored

__all__ = ("inspect", "record_migration", "record_version", "set_up")

_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS kandev_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS kandev_migrations
    (revision TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)""",
)
_VERSION: Final = "kandev_version"


def inspect(driver: sqlite3.Connection) -> Stored:
    """Read what the database says of itself; it is not changed."""
    names = {
        name
        for (name,) in driver.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' "
            "ESCAPE '!'"
        )
    }
    version = None
    if "kandev_meta" in names:
        row = driver.execute("SELECT value FROM kandev_meta WHERE key = ?", (_VERSION,)).fetchone()
        version = str(row[0]) if row else None
    applied: tuple[Migration, ...] = ()
    if "kandev_migrations" in names:
        rows = driver.execute("SELECT revision, checksum FROM kandev_migrations ORDER BY revision")
        applied = tuple(Migration(revision, checksum) for revision, checksum in rows)
    return Stored(version or None, applied, bool(names - {"kandev_meta"}))


def set_up(driver: sqlite3.Connection, at: str) -> None:
    for statement in _TABLES:
        driver.execute(statement)
    driver.execute(
        "INSERT INTO kandev_meta VALUES ('schema_initialized_at', ?) ON CONFLICT DO NOTHING", (at,)
    )


def record_migration(driver: sqlite3.Connection, migration: Migration, at: str) -> None:
    driver.execute("INSERT INTO kandev_migrations VALUES (?, ?, ?)", (*migration, at))


def record_version(driver: sqlite3.Connection, version: str) -> None:
    driver.execute(
        "INSERT INTO kandev_meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        (_VERSION, version),
    )
