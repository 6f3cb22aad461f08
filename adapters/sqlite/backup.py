"""Copies of the database: made whole, checked, and only then given their name.

A copy holds what was committed, the write-ahead log included; it is 0600 in a directory of 0700.
"""

import os
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from adapters.sqlite.connection import connect, fault_of, fault_of_system
from domain.outcome import Failure, Result, Success, failed
from domain.upgrade import BackupFile, backup_name, surplus
from ports.store import StoreFault

__all__ = (
    "BackupFailed",
    "copy",
    "copy_before_upgrade",
    "copy_into",
    "free_place",
    "is_intact",
    "sync_directory",
)

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
    copied = copy_into(database, backups, partial(backup_name, version, at))
    if not failed(copied):
        _remove_surplus(backups)
    return copied


def copy_into(
    database: Path, backups: Path, name: Callable[[Collection[str]], str]
) -> Result[Path, BackupFailed]:
    """Copy the database under the name that is chosen, given those that are taken."""
    try:
        target = free_place(backups, name)
        copy(database, target)
    except sqlite3.Error as error:
        return Failure(BackupFailed(str(backups), fault_of(error)))
    except OSError as error:
        return Failure(BackupFailed(str(backups), fault_of_system(error)))
    return Success(target)


def free_place(backups: Path, name: Callable[[Collection[str]], str]) -> Path:
    """Where the next backup goes, in a folder that others cannot see into; raises `OSError`."""
    backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    backups.chmod(0o700)
    return backups / name({each.name for each in backups.iterdir()})


def copy(database: Path, target: Path) -> None:
    """Copy to `target`, which nothing else may be; raises `OSError` or `sqlite3.Error`."""
    unfinished = target.with_name(target.name + _PARTIAL)
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    try:
        with closing(connect(database, read_only=True)) as driver:
            driver.execute("VACUUM INTO ?", (str(unfinished),))
        _check(unfinished)
        os.fsync(descriptor)
        unfinished.rename(target)
        sync_directory(target.parent)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def is_intact(database: Path, *, quick: bool = False) -> bool:
    """Whether SQLite finds nothing wrong with the file; it is opened for reading only.

    `quick` does not compare indexes with their tables (sqlite.org/pragma.html, quick_check).
    """
    check = "quick_check" if quick else "integrity_check"
    with closing(connect(database, read_only=True)) as driver:
        found: tuple[str] = driver.execute(f"PRAGMA {check}(1)").fetchone()
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


def sync_directory(directory: Path) -> None:
    """Have the names in the directory survive a loss of power."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
