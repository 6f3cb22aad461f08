"""The logs of the backend as evidence: read where they lie, and held by their descriptors.

What is taken is fixed when it is collected. A rollover renames or removes a name, never the file.
"""

import asyncio
import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import msgspec
from typing_extensions import override

from adapters.logs.crc_track import TrackedFile, read_exactly, track_of
from adapters.logs.daily import key_of
from adapters.logs.logs import FLUSH_SECONDS, Logs
from domain.bundle import (
    LINE_SEARCH_BYTES,
    LogFile,
    Part,
    Source,
    backend_name,
    cut_at_line,
    select_tail,
)
from domain.bundle_manifest import Caveat, Code, Evidence, Loss
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.log_retention import ACTIVE_NAME, KEPT_DAYS, candidates, day_of
from ports.clock import Clock
from ports.evidence import Collected, EvidenceChanged, EvidenceSource, Pinned

__all__ = ("LogEvidence",)

LINE_BYTES: Final = 64 * 1024
"""How much of a log is looked at for the time of its first and of its last entry."""

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class _Opened:
    name: str
    descriptor: int
    track: TrackedFile
    modified: datetime


class _PinnedLog(Pinned):
    def __init__(self, descriptor: int, offset: int) -> None:
        self._descriptor = descriptor
        self._offset = offset

    @override
    async def read(self, offset: int, length: int) -> bytes:
        try:
            return await asyncio.to_thread(
                read_exactly, self._descriptor, self._offset + offset, length
            )
        except OSError:
            raise EvidenceChanged from None

    @override
    def close(self) -> None:
        os.close(self._descriptor)


class LogEvidence(EvidenceSource):
    def __init__(self, logs: Logs, clock: Clock) -> None:
        self._logs = logs
        self._clock = clock
        self._read: dict[tuple[int, int, int, int], TrackedFile] = {}

    def mark(self) -> int:
        """Grows with every entry that the log took."""
        return sum(self._logs.file.state().accepted.values())

    @override
    async def collect(self, owner: UserId, request: BundleRequest, budget: int) -> Collected:
        """What was logged before is in it, unless the disk stands still."""
        working = asyncio.ensure_future(asyncio.to_thread(self._collect, budget))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            working.add_done_callback(_let_go)
            raise

    def _collect(self, budget: int) -> Collected:
        self._logs.file.flush(FLUSH_SECONDS)
        caveats: list[Caveat] = []
        with ExitStack() as stack:
            opened = self._open(stack, caveats)
            files = [LogFile(each.name, each.track.size) for each in opened]
            selection = select_tail(files, budget)
            by_name = {each.name: each for each in opened}
            taken = [_evidence(by_name[part.name], part, caveats) for part in selection.parts]
            omitted = sum(file.size for file in files) - sum(each.length for each in taken)
            pinned = [
                _PinnedLog(os.dup(by_name[part.name].descriptor), each.offset)
                for part, each in zip(selection.parts, taken, strict=True)
            ]
        state = self._logs.file.state()
        losses = [
            Loss(state.name, lost.level.word, lost.reason.value, count)
            for lost, count in state.lost.items()
            if count
        ]
        redactions = {Source.BACKEND.value: state.masked}
        return Collected(taken, pinned, omitted, caveats, losses, redactions)

    def _open(self, stack: ExitStack, caveats: list[Caveat]) -> Sequence[_Opened]:
        """The files that are evidence, newest first, each once although it may be renamed now."""
        try:
            folder = os.open(self._logs.folder, _FOLDER)
        except OSError:
            return []
        stack.callback(os.close, folder)
        found: dict[tuple[int, int], _Opened] = {}
        for name in candidates(day_of(self._clock.now())):
            try:
                descriptor = os.open(name, _READ, dir_fd=folder)
            except FileNotFoundError:
                continue
            except OSError:
                caveats.append(_not_regular(name))
                continue
            stack.callback(os.close, descriptor)
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                caveats.append(_not_regular(name))
                continue
            modified = datetime.fromtimestamp(status.st_mtime, UTC)
            track = self._track(name, descriptor, status)
            found.setdefault(key_of(status), _Opened(name, descriptor, track, modified))
        return list(found.values())

    def _track(self, name: str, descriptor: int, status: os.stat_result) -> TrackedFile:
        """What the writer knows of a file, else what reading it shows; both only once."""
        known = self._logs.written().get(key_of(status))
        if known is not None and name == ACTIVE_NAME and known.size <= status.st_size:
            return known
        if known is not None and known.size == status.st_size:
            return known
        version = (*key_of(status), status.st_size, status.st_mtime_ns)
        found = self._read.get(version)
        if found is None:
            found = track_of(descriptor, status.st_size).shown()
            newest = list(self._read.items())[-KEPT_DAYS:]
            self._read = dict([*newest, (version, found)])
        return found


def _let_go(collecting: "asyncio.Future[Collected]") -> None:
    if not collecting.cancelled() and collecting.exception() is None:
        for pinned in collecting.result().pinned:
            pinned.close()


def _evidence(opened: _Opened, part: Part, caveats: list[Caveat]) -> Evidence:
    if part.offset:
        length = min(LINE_SEARCH_BYTES, part.length) + 1
        window = read_exactly(opened.descriptor, part.offset - 1, length)
        cut = cut_at_line(part, window)
        part = cut.part
        if cut.mid_line:
            caveats.append(
                Caveat(Code.BACKEND_CUT_MID_LINE, Source.BACKEND, backend_name(part.name))
            )
    first, last = _times(opened.descriptor, part)
    return Evidence(
        source=Source.BACKEND,
        name=backend_name(part.name),
        size=opened.track.size,
        offset=part.offset,
        length=part.length,
        crc32=opened.track.tail_crc(opened.descriptor, part.offset),
        modified=opened.modified,
        first_time=first,
        last_time=last,
    )


def _times(descriptor: int, part: Part) -> tuple[datetime | None, datetime | None]:
    length = min(LINE_BYTES, part.length)
    first = read_exactly(descriptor, part.offset, length).partition(b"\n")[0]
    end = read_exactly(descriptor, part.offset + part.length - length, length)
    return _time(first), _time(end.rstrip(b"\n").rpartition(b"\n")[2])


def _time(line: bytes) -> datetime | None:
    try:
        timestamp = msgspec.json.decode(line, type=_Stamped).timestamp
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return timestamp if timestamp is not None and timestamp.tzinfo is not None else None


class _Stamped(msgspec.Struct):
    timestamp: datetime | None = None


def _not_regular(name: str) -> Caveat:
    return Caveat(Code.BACKEND_FILE_NOT_REGULAR, Source.BACKEND, backend_name(name))
