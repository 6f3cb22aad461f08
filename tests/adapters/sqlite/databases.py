"""Databases to open: where they lie, and what is in them as seen by the driver alone."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

__all__ = ("contents", "rows", "schema", "write")


def rows(database: Path, question: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as driver:
        return driver.execute(question).fetchall()


def write(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database)) as driver, driver:
        for statement in statements:
            driver.execute(statement)


def schema(database: Path) -> Sequence[tuple[Any, ...]]:
    """Every table and index, as SQLite has it."""
    return rows(database, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2")


def contents(directory: Path) -> dict[str, bytes]:
    """Every file below the directory, byte for byte.

    Less what SQLite makes to read a database that has a log: the log's index, and an empty log.
    """
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
        and not path.name.endswith("-shm")
        and (path.stat().st_size or not path.name.endswith("-wal"))
    }
