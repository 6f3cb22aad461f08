"""Where a bundle lies in a workspace: names that the server chose, as segments, and how long.

Only what `is_ours` recognises was made by us, so nothing else is ever removed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, NewType

from domain.outcome import Failure, Result, Success

__all__ = (
    "FOLDER",
    "IGNORE_NAME",
    "IGNORE_TEXT",
    "RETENTION",
    "STAGE_RETENTION",
    "BundleId",
    "Found",
    "InvalidBundleId",
    "file_name",
    "is_ours",
    "outdated",
    "parse_id",
    "segments",
    "stage_name",
)

BundleId = NewType("BundleId", str)

FOLDER = (".kandev", "diagnostics")

IGNORE_NAME = ".gitignore"
IGNORE_TEXT = "*\n"
"""Lies in the folder before the first byte: it hides itself and all beside it from git, in every
kind of checkout, and a `!` rule of the repository does not undo it."""

RETENTION = timedelta(hours=24)
STAGE_RETENTION = timedelta(hours=1)
"""How long a stage that nobody finished may lie where no unnamed file could be made."""

_ID = re.compile(r"[a-f0-9]{16,64}")
_STAGE = re.compile(r"\.upload-[a-f0-9]{16}\.tmp")
_SUFFIX = ".zip"


@dataclass(frozen=True, slots=True)
class InvalidBundleId:
    """Not 16 to 64 lower-case hexadecimal digits."""


class Found(NamedTuple):
    """A regular file in the folder of bundles."""

    name: str
    modified: datetime


def parse_id(text: str) -> Result[BundleId, InvalidBundleId]:
    """The id of a bundle as it stands in a path."""
    return Success(BundleId(text)) if _ID.fullmatch(text) else Failure(InvalidBundleId())


def file_name(bundle: BundleId) -> str:
    return bundle + _SUFFIX


def segments(bundle: BundleId) -> tuple[str, ...]:
    """The path of a bundle below its workspace; joined with `/` it is what a caller is told."""
    return (*FOLDER, file_name(bundle))


def stage_name(random_hex: str) -> str:
    """The name of an unfinished file, from 16 random hexadecimal digits."""
    name = f".upload-{random_hex}.tmp"
    if not _STAGE.fullmatch(name):
        raise ValueError("a stage is named by 16 hexadecimal digits")
    return name


def is_ours(name: str) -> bool:
    """Whether a name in the folder is that of a bundle or of a stage."""
    return _is_bundle(name) or _STAGE.fullmatch(name) is not None


def outdated(files: Iterable[Found], now: datetime) -> tuple[str, ...]:
    """The names to remove: our bundles from their 24th hour on, our stages from their first."""
    return tuple(
        name
        for name, modified in files
        if is_ours(name) and now - modified >= (RETENTION if _is_bundle(name) else STAGE_RETENTION)
    )


def _is_bundle(name: str) -> bool:
    return name.endswith(_SUFFIX) and _ID.fullmatch(name.removesuffix(_SUFFIX)) is not None
