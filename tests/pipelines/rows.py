"""A look at the database of a test from outside: what is stored, byte for byte."""

import sqlite3
from contextlib import closing
from pathlib import Path

__all__ = ("altered", "copied", "metadata_of", "refusing", "with_leases")


def metadata_of(folder: Path, session: str) -> str:
    """The text in which a session's snapshot lies."""
    with closing(sqlite3.connect(folder / "kandev.db")) as database:
        query = "SELECT metadata FROM task_sessions WHERE id = ?"
        [[text]] = database.execute(query, [session]).fetchall()
    assert isinstance(text, str)
    return text


def copied(folder: Path, target: Path) -> Path:
    """The database as a process that is killed now would leave it, in another folder."""
    target.mkdir()
    with (
        closing(sqlite3.connect(folder / "kandev.db")) as source,
        closing(sqlite3.connect(target / "kandev.db")) as copy,
    ):
        source.backup(copy)
    return target


def refusing(folder: Path, condition: str) -> None:
    """Have the database refuse to write a session for which the condition is true."""
    with closing(sqlite3.connect(folder / "kandev.db")) as database:
        database.execute(
            "CREATE TRIGGER refusing BEFORE UPDATE ON task_sessions "
            f"WHEN {condition} BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
        database.commit()


def with_leases(folder: Path, count: int) -> None:
    """Have so many more live leases in the workspace of the first one."""
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
    copy = (
        "INSERT INTO credential_leases SELECT 'more_' || i, CAST('more_' || i AS BLOB), "
        "workspace_id, task_id, session_id, execution_id, repository_id, host, path, "
        "connection_id, revision, issued_at, expires_at, NULL "
        "FROM n, (SELECT * FROM credential_leases LIMIT 1)"
    )
    with closing(sqlite3.connect(folder / "kandev.db")) as database:
        database.execute(f"{numbers} {copy}", [count])
        database.commit()


def altered(folder: Path, owner: str) -> None:
    """Have every sealed variable of a profile or a repository be something else."""
    with closing(sqlite3.connect(folder / "kandev.db")) as database:
        for kind in ("profile", "repository"):
            database.execute(
                f"UPDATE {kind}_variables SET sealed = x'00' "
                f"WHERE {kind}_id = ? AND name = 'TOKEN'",
                [owner],
            )
        database.commit()
