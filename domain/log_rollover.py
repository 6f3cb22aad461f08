"""The end of a day's log: renamed where its name is free, else appended under a journal.

The journal is written before the first byte is copied and removed after the source is. What has
been copied is read off the destination, so a crash at any step is finished by the next start,
without a byte doubled. A journal that does not fit what is found is put aside, never followed.
"""

import json
from collections.abc import Container
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from itertools import count
from typing import TypeAlias

from domain.log_retention import DAILY_BYTES

__all__ = (
    "JOURNAL_NAME",
    "Append",
    "Discard",
    "FileIdentity",
    "Journal",
    "Mismatch",
    "Quarantine",
    "Recovery",
    "Rename",
    "Resume",
    "Roll",
    "parse_journal",
    "quarantine_name",
    "recover",
    "roll",
)

JOURNAL_NAME = ".backend-logs-rollover.json"


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """One file as it was: an inode number alone is given again to the next file that is made."""

    device: int
    inode: int
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Journal:
    """`length` bytes of the source, from `source_start` on, go to the end of the file of `day`.

    That file had `destination_start` bytes; its name follows from the day and is not stored.
    """

    day: date
    source: FileIdentity
    source_start: int
    length: int
    destination_start: int

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"day": self.day.isoformat()})


@dataclass(frozen=True, slots=True)
class Rename:
    """The name of the day is free."""


@dataclass(frozen=True, slots=True)
class Append:
    """The day has a file already: write the journal, copy, remove the source, then the journal."""

    journal: Journal

    @property
    def dropped(self) -> int:
        """Bytes from the beginning of the source for which the day has no room."""
        return self.journal.source_start


@dataclass(frozen=True, slots=True)
class Resume:
    """Copy what is left after `copied` bytes, then remove the source and the journal."""

    journal: Journal
    copied: int


@dataclass(frozen=True, slots=True)
class Discard:
    """The source is gone, so all was copied: remove the journal."""


class Mismatch(StrEnum):
    """Why a journal is not followed."""

    MALFORMED = "malformed"
    SOURCE = "source"
    DESTINATION = "destination"


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Put the journal aside, touch no log, and go on."""

    mismatch: Mismatch


Roll: TypeAlias = Rename | Append
Recovery: TypeAlias = Resume | Discard | Quarantine


def roll(
    day: date, source: FileIdentity, destination_size: int | None, bound: int = DAILY_BYTES
) -> Roll:
    """How the active file becomes that of `day`; `destination_size` is None where none exists."""
    if destination_size is None:
        return Rename()
    length = min(source.size, max(0, bound - destination_size))
    return Append(Journal(day, source, source.size - length, length, destination_size))


def recover(
    journal: Journal | None, source: FileIdentity | None, destination_size: int | None
) -> Recovery:
    """What a journal that was found asks for; it is None when it could not be read.

    `source` is the active file, None when there is none; it has not been appended to since.
    """
    if journal is None:
        return Quarantine(Mismatch.MALFORMED)
    if source is None:
        return Discard()
    if source != journal.source:
        return Quarantine(Mismatch.SOURCE)
    copied = (destination_size or 0) - journal.destination_start
    if not 0 <= copied <= journal.length:
        return Quarantine(Mismatch.DESTINATION)
    return Resume(journal, copied)


def parse_journal(text: str) -> Journal | None:
    """A journal as it was written; None for anything else."""
    try:
        match json.loads(text):
            case {
                "day": str(day),
                "source": {
                    "device": int(device),
                    "inode": int(inode),
                    "size": int(size),
                    "modified_ns": int(modified_ns),
                },
                "source_start": int(source_start),
                "length": int(length),
                "destination_start": int(destination_start),
            } if (
                min(source_start, length, destination_start) >= 0 and source_start + length == size
            ):
                source = FileIdentity(device, inode, size, modified_ns)
                return Journal(
                    date.fromisoformat(day), source, source_start, length, destination_start
                )
            case _:
                return None
    except (ValueError, RecursionError):
        return None


def quarantine_name(taken: Container[str]) -> str:
    """A name for a journal that is put aside, free among `taken`."""
    names = (f"{JOURNAL_NAME}.bad-{number}" for number in count(1))
    return next(name for name in names if name not in taken)
