"""The folder of backups: what is in it, what each is worth, and one more on request.

A backup counts as sound when SQLite finds nothing wrong with it, no row refers to nothing, and this
program could open it. Nothing here changes a backup.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

from adapters.sqlite.backup import BackupFailed, copy_into, is_intact
from adapters.sqlite.bookkeeping import inspect, names_in
from adapters.sqlite.connection import connect
from adapters.sqlite.sealed import sealed_in
from domain.backup import Origin, name_of, origin_of
from domain.outcome import Failure, Result, Success, failed
from domain.upgrade import AlteredMigration, NewerDatabase, Program, plan

__all__ = (
    "Backup",
    "BackupDamaged",
    "BackupProblem",
    "NoDatabase",
    "Sound",
    "UnknownBackup",
    "create",
    "listed",
    "sealed_of",
    "verify",
)


@dataclass(frozen=True, slots=True)
class Backup:
    """A file of the folder; `size` in bytes."""

    name: str
    origin: Origin
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class Sound:
    """A backup that can be restored: the version that wrote it, and all that is sealed in it."""

    path: Path
    version: str | None
    sealed: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class NoDatabase:
    """There is nothing to copy yet."""

    path: str


@dataclass(frozen=True, slots=True)
class UnknownBackup:
    """The folder has no backup of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class BackupDamaged:
    """The backup cannot be read, or contradicts itself, or is of something else."""

    name: str


BackupProblem: TypeAlias = UnknownBackup | BackupDamaged | NewerDatabase | AlteredMigration


def create(database: Path, backups: Path, at: datetime) -> Result[Path, BackupFailed | NoDatabase]:
    """Copy everything committed, whoever else uses the database meanwhile."""
    if not database.exists():
        return Failure(NoDatabase(str(database)))
    return copy_into(database, backups, partial(name_of, Origin.MANUAL, at))


def listed(backups: Path) -> Sequence[Backup]:
    """The newest first; a folder that is not there has none."""
    if not backups.is_dir():
        return ()
    found = [
        Backup(each.name, origin, seen.st_size, datetime.fromtimestamp(seen.st_mtime, UTC))
        for each in backups.iterdir()
        if (origin := origin_of(each.name)) is not None
        and not each.is_symlink()
        and each.is_file()
        and (seen := each.stat())
    ]
    return sorted(found, key=lambda each: (each.modified, each.name), reverse=True)


def verify(backups: Path, name: str, program: Program) -> Result[Sound, BackupProblem]:
    """Whether the backup of this name could be restored by this program."""
    if name not in {each.name for each in listed(backups)}:
        return Failure(UnknownBackup(name))
    path = backups / name
    try:
        if not is_intact(path):
            return Failure(BackupDamaged(name))
        with closing(connect(path, read_only=True)) as driver:
            dangling = driver.execute("PRAGMA foreign_key_check").fetchone()
            stored = inspect(driver, names_in(driver))
            sealed = sealed_in(driver, names_in(driver))
    except sqlite3.Error:
        return Failure(BackupDamaged(name))
    if dangling is not None or not stored.applied:
        return Failure(BackupDamaged(name))
    planned = plan(stored, program)
    if failed(planned):
        return planned
    return Success(Sound(path, stored.version, sealed))


def sealed_of(backup: Path) -> Sequence[bytes] | None:
    """Everything sealed in a backup; None when it cannot be read."""
    try:
        with closing(connect(backup, read_only=True)) as driver:
            return sealed_in(driver, names_in(driver))
    except sqlite3.Error:
        return None
