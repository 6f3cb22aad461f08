"""A backup in the place of the database; whoever calls holds the home, so that nobody uses either.

The backup is copied beside and checked, the database is kept as a backup and left without a log,
and then one rename puts the copy in its place: a restore that dies on the way has changed nothing,
or has happened.
"""

import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from adapters.sqlite.archive import Sound
from adapters.sqlite.backup import BackupFailed, copy, copy_into, free_place, sync_directory
from adapters.sqlite.columns import to_text
from adapters.sqlite.connection import connect, fault_of, fault_of_system
from domain.backup import Origin, name_of
from domain.outcome import Failure, Result, Success, failed
from ports.store import StoreFault

__all__ = ("RestoreFailed", "restore")

_STAGED: Final = ".restoring"
_DAMAGED: Final = frozenset({StoreFault.DAMAGED, StoreFault.UNREADABLE})


@dataclass(frozen=True, slots=True)
class RestoreFailed:
    """The backup could not be put in place; the database is as it was."""

    database: str
    fault: StoreFault


def restore(
    sound: Sound, database: Path, backups: Path, at: datetime
) -> Result[Path | None, BackupFailed | RestoreFailed]:
    """Replace the database; where it was kept, None when there was none.

    Leases that were not revoked in the backup are, and the epoch of the relay does not go back:
    what happened since the backup was made has happened.
    """
    staged = database.with_name(database.name + _STAGED)
    kept: Path | None = None
    try:
        staged.unlink(missing_ok=True)
        copy(sound.path, staged)
        _bring_up_to_date(staged, database, at)
        if database.exists():
            keeping = _keep(database, backups, at)
            if failed(keeping):
                return keeping
            kept = keeping.unwrap()
        staged.rename(database)
        sync_directory(database.parent)
    except sqlite3.Error as error:
        return Failure(RestoreFailed(str(database), fault_of(error)))
    except OSError as error:
        return Failure(RestoreFailed(str(database), fault_of_system(error)))
    finally:
        for leftover in (staged, *_logs_of(staged)):
            leftover.unlink(missing_ok=True)
    return Success(kept)


def _bring_up_to_date(staged: Path, database: Path, at: datetime) -> None:
    with closing(connect(staged)) as driver:
        driver.execute("BEGIN IMMEDIATE")
        driver.execute(
            "UPDATE credential_leases SET revoked_at = ? WHERE revoked_at IS NULL", (to_text(at),)
        )
        driver.execute(
            "INSERT INTO counters VALUES ('relay_epoch', ?) "
            "ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
            (_epoch(database),),
        )
        driver.execute("COMMIT")


def _epoch(database: Path) -> int:
    """The epoch that the database has reached, 0 where it cannot be told."""
    with suppress(sqlite3.Error), closing(connect(database, read_only=True)) as driver:
        row = driver.execute("SELECT value FROM counters WHERE name = 'relay_epoch'").fetchone()
        return int(row[0]) if row else 0
    return 0


def _keep(database: Path, backups: Path, at: datetime) -> Result[Path, BackupFailed]:
    """Keep the database, and leave it without a log, which would be replayed into the next one."""
    name = partial(name_of, Origin.REPLACED, at)
    kept = copy_into(database, backups, name)
    if failed(kept):
        damaged = kept.failure().fault in _DAMAGED
        return Success(_keep_files(database, free_place(backups, name))) if damaged else kept
    with closing(connect(database)) as driver:
        # Takes the database for itself, and says so when somebody else still reads it.
        driver.execute("PRAGMA journal_mode=DELETE").fetchone()
    return kept


def _keep_files(database: Path, target: Path) -> Path:
    """Keep the files of a database that SQLite cannot read, its log beside it."""
    logs = _logs_of(database)
    for source, copied in zip((database, *logs), (target, *_logs_of(target)), strict=True):
        if source.exists():
            shutil.copyfile(source, copied)
            copied.chmod(0o600)
    sync_directory(target.parent)
    for log in logs:
        log.unlink(missing_ok=True)
    return target


def _logs_of(database: Path) -> tuple[Path, Path]:
    """The log of a database and the log's index."""
    wal, index = (database.with_name(database.name + suffix) for suffix in ("-wal", "-shm"))
    return wal, index
