"""Whether this program may open a database, and what must happen before it does.

A database tells the version that last opened it and every migration it went through. One that a
newer program wrote is refused: nothing here knows what its rows mean.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from domain.outcome import Failure, Result, Success

__all__ = (
    "AUTOMATIC_NAME",
    "KEPT_BACKUPS",
    "MAX_LABEL",
    "AlteredMigration",
    "BackupFile",
    "Migration",
    "NewerDatabase",
    "Program",
    "Stored",
    "UpgradePlan",
    "backup_name",
    "plan",
    "surplus",
)

KEPT_BACKUPS = 2
"""Automatic backups that are kept, the newest by modification time."""
MAX_LABEL = 64
"""Characters of a version in the name of a backup."""

_RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)")
_UNFIT = re.compile(r"[^A-Za-z0-9._+-]")
AUTOMATIC_NAME = re.compile(r"kandev-(?!pre-reset-).+-\d{8}T\d{6}Z(?:-\d+)?\.db")


class Migration(NamedTuple):
    """A step of the schema; the checksum is that of the text it was applied from."""

    revision: str
    checksum: str


@dataclass(frozen=True, slots=True)
class Stored:
    """What a database says of itself; no version and no tables make it a fresh one."""

    version: str | None
    applied: tuple[Migration, ...]
    has_tables: bool


@dataclass(frozen=True, slots=True)
class Program:
    """What this program knows; its migrations in the order they are applied."""

    version: str
    migrations: tuple[Migration, ...]


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """What to do before the database is used: a backup first, then what is pending, in order."""

    backup: bool
    pending: tuple[Migration, ...]
    record_version: bool


@dataclass(frozen=True, slots=True)
class NewerDatabase:
    """The database was written by a newer program; `stored` is empty when it does not say which."""

    stored: str
    program: str


@dataclass(frozen=True, slots=True)
class AlteredMigration:
    """The database went through another text of a migration than the one this program has."""

    revision: str


class BackupFile(NamedTuple):
    """A file beside the backups; `modified` in nanoseconds since the epoch."""

    name: str
    modified: int


def plan(stored: Stored, program: Program) -> Result[UpgradePlan, NewerDatabase | AlteredMigration]:
    known = {each.revision: each for each in program.migrations}
    newer = _is_newer(stored.version, program.version)
    if newer or any(each.revision not in known for each in stored.applied):
        return Failure(NewerDatabase(stored.version or "", program.version))
    for each in stored.applied:
        if known[each.revision] != each:
            return Failure(AlteredMigration(each.revision))
    done = {each.revision for each in stored.applied}
    pending = tuple(each for each in program.migrations if each.revision not in done)
    differs = stored.version != program.version
    fresh = stored.version is None and not stored.has_tables
    return Success(UpgradePlan((differs or bool(pending)) and not fresh, pending, differs))


def backup_name(version: str | None, at: datetime, taken: Collection[str]) -> str:
    """The name of the copy made before a database of `version` is migrated, none of `taken`."""
    label = _UNFIT.sub("-", version)[:MAX_LABEL] if version else "pre-meta"
    stem = f"kandev-{label}-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    name, number = f"{stem}.db", 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}.db"
    return name


def surplus(files: Iterable[BackupFile]) -> Sequence[str]:
    """The automatic backups to remove; a file that was not named by `backup_name` is not ours."""
    ours = [each for each in files if AUTOMATIC_NAME.fullmatch(each.name)]
    ours.sort(key=lambda each: (each.modified, each.name), reverse=True)
    return [each.name for each in ours[KEPT_BACKUPS:]]


def _is_newer(stored: str | None, program: str) -> bool:
    """Whether both are releases and the stored one is later; of anything else none is later."""
    if stored is None:
        return False
    theirs, ours = _RELEASE.fullmatch(stored), _RELEASE.fullmatch(program)
    return theirs is not None and ours is not None and _parts(theirs[1]) > _parts(ours[1])


def _parts(release: str) -> tuple[int, ...]:
    parts = [int(part) for part in release.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
