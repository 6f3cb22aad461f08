"""Databases as each released schema left them, with a value in every column of every table.

The first one is kept as text in `first_schema.sql`, which `python -m
tests.adapters.sqlite.released DIRECTORY` wrote with the migration of its day; the later ones are
made by running the migrations so far. A migration that adds a table or a column adds rows to
`released_rows.sql`.
"""

import re
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from adapters.sqlite.upgrade import known_migrations, upgrade
from domain.outcome import failed
from domain.upgrade import Program
from tests.contracts.store_examples import NOW

__all__ = ("ROWS", "VERSION", "first", "in_postgresql", "releases")

VERSION: Final = "0.0.1"
"""What the program called itself that left these databases."""

_HERE: Final = Path(__file__).parent
_FIRST_SCHEMA: Final = _HERE / "first_schema.sql"
_HEADING: Final = re.compile(r"^-- (v\d{4}\w+)\n", re.MULTILINE)
_BLOB: Final = re.compile(r"X'([0-9A-F]+)'")

_, *_PARTS = _HEADING.split((_HERE / "released_rows.sql").read_text(encoding="utf-8"))
ROWS: Final = dict(zip(_PARTS[::2], _PARTS[1::2], strict=True))
"""What each migration's day put into the tables, in SQL that SQLite understands."""


def in_postgresql(statements: str) -> str:
    """The same statements with PostgreSQL's bytes."""
    return _BLOB.sub(r"'\\x\1'::bytea", statements)


def first(database: Path) -> None:
    """The database that the first schema left, from the text that was kept."""
    _tell(database, _FIRST_SCHEMA.read_text(encoding="utf-8"))


def releases(directory: Path) -> Sequence[Path]:
    """The database that each schema left, the first one's first."""
    migrations = known_migrations()
    made: list[Path] = []
    for count, migration in enumerate(migrations, 1):
        database = directory / f"{migration.revision}.db"
        if made:
            database.write_bytes(made[-1].read_bytes())
        program = Program(VERSION, migrations[:count])
        outcome = upgrade(database, directory / "unused", program, NOW)
        assert not failed(outcome), outcome
        _tell(database, ROWS.get(migration.revision, ""))
        made.append(database)
    return made


def _tell(database: Path, statements: str) -> None:
    with closing(sqlite3.connect(database)) as driver:
        driver.executescript(statements)


def main(directory: Path) -> None:
    """Write the first schema anew, which only a change before its release can call for."""
    with closing(sqlite3.connect(releases(directory)[0])) as driver:
        _FIRST_SCHEMA.write_text("\n".join(driver.iterdump()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
