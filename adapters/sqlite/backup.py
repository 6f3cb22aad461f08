"""Copies of the database: made whole, checked, and only then given their name.

A copy holds what was committed, the write-ahead log included; it is 0600 in a directory of 0700.
"""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from adapters.sqlite.connection import connect, fault_of, fault_of_system
from domain.outcome import Failure, Result, Success
from domain.upgrade import BackupFile, backup_name, surplus
from ports.store import StoreFault

__all__ = ("BackupFailed", "copy", "copy_before_upgrade", "is_intact")

_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class BackupFailed:
    """No copy could be made in the directory; the database is as it was."""

    directory: str
    fault: StoreFault


def copy_before_upgrade(
    database: Path, backups: Path, version: str | None, at: datetime
) -> Result[Path, BackupFailed]:
    """Copy the database, then remove automatic copies beyond those that are kept."""
    try:
        backups.mkdir(mode=0o700, parents=True, exist_ok=True)
        backups.chmod(0o700)
        target = backups / backup_name(version, at, {each.name for each in backups.iterdir()})
        copy(database, target)
    except sqlite3.Error as error:
        return Failure(BackupFailed(str(backups), fault_of(error)))
    except OSError as error:
        return Failure(BackupFailed(str(backups), fault_of_system(error)))
    _remove_surplus(backups)
    return Success(target)


def copy(database: Path, target: Path) -> None:
    """Copy to `target`, which nothing else may be; raises `OSError` or `sqlite3.Error`."""
    partial = target.with_name(target.name + _PARTIAL)
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    try:
        with closing(connect(database)) as driver:
            driver.execute("VACUUM INTO ?", (str(partial),))
        _check(partial)
        os.fsync(descriptor)
        partial.rename(target)
        _sync_directory(target.parent)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def is_intact(database: Path) -> bool:
    """Whether SQLite finds nothing wrong with the file; it is opened for reading only."""
    with closing(connect(database, read_only=True)) as driver:
        found: tuple[str] = driver.execute("PRAGMA integrity_check(1)").fetchone()
    return found == ("ok",)


def _check(database: Path) -> None:
    if not is_intact(database):
        raise sqlite3.DatabaseError("the copy is damaged")


def _remove_surplus(backups: Path) -> None:
    """A copy that cannot be removed is left: there is one too many, and none too few."""
    with suppress(OSError):
        files = [
            BackupFile(each.name, each.stat(follow_symlinks=False).st_mtime_ns)
            for each in backups.iterdir()
            if each.is_file()
        ]
        for name in surplus(files):
            (backups / name).unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
