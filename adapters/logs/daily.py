"""The log file of the day: appended to by one thread, renamed at the day's end, never overwritten.

Every file is reached through one descriptor of the folder and never through a link. A failure
closes the file; it is opened again after a while, and what comes meanwhile is not written.
"""

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import accumulate
from pathlib import Path
from typing import Final

from adapters.logs import rollover
from adapters.logs.crc_track import CrcTrack, TrackedFile, read_exactly, track_of
from domain.log_retention import (
    ACTIVE_NAME,
    DAILY_BYTES,
    KEPT_DAYS,
    MARKER_NAME,
    REOPEN_AFTER,
    Turn,
    active_day,
    day_of,
    expired,
    fits,
    turn,
)
from ports.clock import Clock

__all__ = ("DailyFile", "FileKey", "key_of")

FileKey = tuple[int, int]
"""Device and inode: a file keeps them when it is renamed."""

_APPEND: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class DailyFile:
    """A writer of a sink. `failed` is told once for each time the file is lost, with the reason."""

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        failed: Callable[[str], None],
        bound: int = DAILY_BYTES,
    ) -> None:
        self._path = folder
        self._clock = clock
        self._failed = failed
        self._bound = bound
        self._folder = -1
        self._file = -1
        self._day = day_of(clock.now())
        self._track = CrcTrack()
        self._retry_at: float | None = None
        self._stuck = False
        self._key: FileKey = (0, 0)
        self.known: dict[FileKey, TrackedFile] = {}
        """What was written to which file; replaced, never changed, so any thread may read it."""

    def write(self, lines: Sequence[bytes]) -> int:
        if not self._ready():
            return 0
        size = self._track.shown().size
        if not fits(size, sum(map(len, lines)), self._bound):
            lines = self._fitting(lines, size)
        return self._append(lines, size) if lines else 0

    def rest(self) -> None:
        self._ready()

    def close(self) -> None:
        for descriptor in (self._file, self._folder):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._folder = -1

    def _fitting(self, lines: Sequence[bytes], size: int) -> Sequence[bytes]:
        """The first lines, as many as the day has room for."""
        ends = accumulate(map(len, lines))
        return lines[: sum(fits(size, end, self._bound) for end in ends)]

    def _append(self, lines: Sequence[bytes], size: int) -> int:
        """One write; of a line that did not go in whole, nothing is left."""
        data = b"".join(lines)
        try:
            written = os.write(self._file, data)
            if written < len(data):
                lines = _whole(lines, written)
                data = b"".join(lines)
                os.ftruncate(self._file, size + len(data))
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, size)
            self._lost(error)
            return 0
        self._track.feed(data)
        self._publish()
        return len(lines)

    def _ready(self) -> bool:
        """Whether the file of today is open."""
        try:
            if self._file < 0:
                if self._retry_at is not None and self._clock.monotonic() < self._retry_at:
                    return False
                self._open()
            elif turn(self._day, self._today()) is Turn.NEXT:
                self._turn()
        except OSError as error:
            self._lost(error)
            return False
        return True

    def _today(self) -> date:
        return day_of(self._clock.now())

    def _open(self) -> None:
        if self._folder < 0:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder = os.open(self._path, _FOLDER)
            os.fchmod(self._folder, 0o700)
        rollover.finish_interrupted(self._folder)
        today = self._today()
        self._day = self._active_day(today)
        if turn(self._day, today) is Turn.NEXT:
            rollover.close_day(self._folder, self._day, self._bound)
            self._day = today
        self._open_active()
        self._retry_at = None
        self._remove_expired()

    def _active_day(self, today: date) -> date:
        try:
            found = os.stat(ACTIVE_NAME, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return active_day(None, None, today)
        marker = rollover.read_small(self._folder, MARKER_NAME)
        return active_day(marker, datetime.fromtimestamp(found.st_mtime, UTC), today)

    def _open_active(self) -> None:
        file = os.open(ACTIVE_NAME, _APPEND, 0o600, dir_fd=self._folder)
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise OSError("the log is not a regular file")  # noqa: TRY301 -- as those of os
            os.fchmod(file, 0o600)
            track = track_of(file, found.st_size)
            if found.st_size and read_exactly(file, found.st_size - 1, 1) != b"\n":
                os.write(file, b"\n")
                track.feed(b"\n")
            rollover.write_small(self._folder, MARKER_NAME, self._day.isoformat())
        except OSError:
            os.close(file)
            raise
        self._file = file
        self._key = key_of(found)
        self._track = track
        self._publish()

    def _turn(self) -> None:
        """To the file of the next day; where that fails the old one goes on, within its bound."""
        try:
            rollover.close_day(self._folder, self._day, self._bound)
        except OSError as error:
            if not self._stuck:
                self._failed(reason_of(error))
            self._stuck = True
            return
        self._stuck = False
        os.close(self._file)
        self._file = -1
        self._day = self._today()
        self._open_active()
        self._remove_expired()

    def _remove_expired(self) -> None:
        with suppress(OSError):
            for name in expired(os.listdir(self._folder), self._day):  # noqa: PTH208 -- a descriptor
                os.unlink(name, dir_fd=self._folder)

    def _publish(self) -> None:
        newest = {self._key: self._track.shown()}
        older = [pair for pair in self.known.items() if pair[0] != self._key][:KEPT_DAYS]
        self.known = newest | dict(older)

    def _lost(self, error: OSError) -> None:
        self.close()
        self.known = {}
        self._retry_at = self._clock.monotonic() + REOPEN_AFTER.total_seconds()
        self._failed(reason_of(error))


def key_of(found: os.stat_result) -> FileKey:
    return found.st_dev, found.st_ino


def _whole(lines: Sequence[bytes], written: int) -> Sequence[bytes]:
    """The lines that went in whole."""
    ends = accumulate(map(len, lines))
    return lines[: sum(end <= written for end in ends)]


def reason_of(error: OSError) -> str:
    """Why, without a path."""
    return error.strerror or str(error)
