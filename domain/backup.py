"""The names of backups, which say why each was made; a file with another name is none of ours.

The copy made before an upgrade is named and pruned by `domain.upgrade`; the others stay until
somebody removes them.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from enum import StrEnum

from domain.upgrade import AUTOMATIC_NAME

__all__ = ("Origin", "name_of", "origin_of")


class Origin(StrEnum):
    """Why a backup was made: before an upgrade, on request, or because a restore replaced it."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"
    REPLACED = "replaced"


_NAMED = re.compile(r"(manual|replaced)-\d{8}T\d{6}Z(?:-\d+)?\.db")


def name_of(origin: Origin, at: datetime, taken: Collection[str]) -> str:
    """The name of a backup that is not automatic, none of `taken`."""
    stem = f"{origin.value}-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    name, number = f"{stem}.db", 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}.db"
    return name


def origin_of(name: str) -> Origin | None:
    """Why the backup of this name was made; None for a name that no backup has."""
    if AUTOMATIC_NAME.fullmatch(name):
        return Origin.AUTOMATIC
    named = _NAMED.fullmatch(name)
    return Origin(named[1]) if named else None
