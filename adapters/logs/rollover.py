"""The end of a day on disk, in the order that a crash at any step can be finished from.

All names are below one descriptor of the folder; raises OSError, and then nothing is lost.
"""

import os
import stat
from contextlib import suppress
from datetime import date
from typing import Final

from adapters.logs.crc_track import MARK_BYTES, read_exactly
from domain.log_retention import ACTIVE_NAME, DAILY_BYTES, MARKER_NAME, dated_name
from domain.log_rollover import (
    JOURNAL_NAME,
    Append,
    Discard,
    FileIdentity,
    Journal,
    Quarantine,
    Rename,
    Resume,
    parse_journal,
    quarantine_name,
    recover,
    roll,
)

__all__ = ("close_day", "finish_interrupted", "read_small", "write_small")

SMALL_BYTES: Final = 4096
"""The longest marker or journal."""

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


def close_day(folder: int, day: date, bound: int = DAILY_BYTES) -> int:
    """Make the active file that of `day`; how many of its bytes had no room there."""
    source = _identity(folder, ACTIVE_NAME)
    if source is None:
        return 0
    dated = _identity(folder, dated_name(day))
    match roll(day, source, None if dated is None else dated.size, bound):
        case Rename():
            with suppress(FileNotFoundError):
                os.unlink(MARKER_NAME, dir_fd=folder)
            os.rename(ACTIVE_NAME, dated_name(day), src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
            return 0
        case Append(journal) as append:
            write_small(folder, JOURNAL_NAME, journal.to_json())
            _append(folder, journal, 0)
            return append.dropped


def finish_interrupted(folder: int) -> bool:
    """Finish a rollover that a crash cut short; false when its journal was put aside."""
    text = read_small(folder, JOURNAL_NAME)
    if text is None:
        return True
    journal = parse_journal(text)
    dated = None if journal is None else _identity(folder, dated_name(journal.day))
    source = _identity(folder, ACTIVE_NAME)
    match recover(journal, source, None if dated is None else dated.size):
        case Resume(found, copied):
            _append(folder, found, copied)
        case Discard():
            os.unlink(JOURNAL_NAME, dir_fd=folder)
        case Quarantine():
            aside = quarantine_name(frozenset(os.listdir(folder)))
            os.rename(JOURNAL_NAME, aside, src_dir_fd=folder, dst_dir_fd=folder)
            return False
    return True


def read_small(folder: int, name: str) -> str | None:
    """The text of a small regular file; None when there is none; what is not text reads as torn."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.read(descriptor, SMALL_BYTES).decode(errors="replace")
    finally:
        os.close(descriptor)


def write_small(folder: int, name: str, text: str) -> None:
    """Replace a small file, whole or not at all."""
    beside = f"{name}.tmp"
    descriptor = os.open(beside, _NEW, 0o600, dir_fd=folder)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


def _identity(folder: int, name: str) -> FileIdentity | None:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError("not a regular file")
    return FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _append(folder: int, journal: Journal, copied: int) -> None:
    source = os.open(ACTIVE_NAME, _READ, dir_fd=folder)
    try:
        target = os.open(dated_name(journal.day), _APPEND | os.O_CREAT, 0o600, dir_fd=folder)
        try:
            while copied < journal.length:
                length = min(MARK_BYTES, journal.length - copied)
                copied += os.write(
                    target, read_exactly(source, journal.source_start + copied, length)
                )
            os.fsync(target)
        finally:
            os.close(target)
    finally:
        os.close(source)
    for name in (ACTIVE_NAME, MARKER_NAME, JOURNAL_NAME):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        os.fsync(folder)
