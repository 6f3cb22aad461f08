"""A zip archive as a plan: every byte that is not payload, and every number, before one is sent.

Entries are stored, with sizes and CRC in the local header, so that a reader of a pipe can follow
(PKWARE APPNOTE 6.3, sections 4.3 and 4.4: method 0, no data descriptor, no extra field). Zip64 is
not used: what would need it is refused. The same entries give the same bytes.
"""

import hashlib
import struct
import unicodedata
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import accumulate, chain
from typing import TypeAlias

from domain import crc32 as crc_algebra
from domain.outcome import Failure, Result, Success, failed

__all__ = (
    "MAX_ENTRIES",
    "MAX_NAME_BYTES",
    "MAX_OFFSET",
    "ArchivePlan",
    "BadName",
    "EntrySlice",
    "NameCollision",
    "NameFault",
    "StoredEntry",
    "TooLarge",
    "TooManyEntries",
    "Unplannable",
    "plan",
)

MAX_ENTRIES = 0xFFFE
MAX_OFFSET = 0xFFFF_FFFE
"""The largest size or offset: the value above means `see zip64`."""

MAX_NAME_BYTES = 1024

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_VERSION = 20
_MADE_ON_UNIX = 3 << 8
_UTF_8 = 1 << 11
_MODE = 0o100600 << 16
_EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)
_LATEST = datetime(2107, 12, 31, 23, 59, 58, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """What the archive says of one payload: `modified` is aware, `name` is relative with `/`."""

    name: str
    size: int
    crc32: int
    modified: datetime

    def __post_init__(self) -> None:
        if self.size < 0 or not 0 <= self.crc32 <= 0xFFFF_FFFF or self.modified.tzinfo is None:
            raise ValueError("a size is not negative, a CRC has 32 bits, a time has a zone")


@dataclass(frozen=True, slots=True)
class EntrySlice:
    """`length` bytes of the payload of entry `index`, from `offset` on."""

    index: int
    offset: int
    length: int


class NameFault(StrEnum):
    """Why a name would not unpack everywhere to the file that it says."""

    EMPTY = "empty"
    NOT_RELATIVE = "not_relative"
    SEGMENT = "segment"
    CHARACTER = "character"
    OPTION_LIKE = "option_like"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class BadName:
    index: int
    fault: NameFault


@dataclass(frozen=True, slots=True)
class NameCollision:
    """Two names are one file, case and normal form apart, or one is a folder of the other."""

    index: int
    other: int


@dataclass(frozen=True, slots=True)
class TooLarge:
    """The payload of the entry, or all before it, passes what the format can say."""

    index: int


@dataclass(frozen=True, slots=True)
class TooManyEntries:
    count: int


Unplannable: TypeAlias = BadName | NameCollision | TooLarge | TooManyEntries


@dataclass(frozen=True, slots=True)
class ArchivePlan:
    """An archive that exists except for its payloads.

    `etag` is a strong entity tag (RFC 9110, section 8.8.3) with its quotes: two plans share it
    only if names, times, sizes and the CRC of every payload are equal.
    """

    entries: tuple[StoredEntry, ...]
    length: int
    crc32: int
    etag: str
    headers: tuple[bytes, ...]
    """The local header before each payload; the last is the central directory and the end."""

    starts: tuple[int, ...]
    """Where each part begins: header, payload, header, payload, ..., the rest."""

    def slices(self, start: int, stop: int) -> tuple[bytes | EntrySlice, ...]:
        """The archive from `start` up to `stop`, in order; a stop behind the end is the end."""
        if not 0 <= start <= stop:
            raise ValueError("a range starts at 0 or after and does not end before it starts")
        stop = min(stop, self.length)
        found: list[bytes | EntrySlice] = []
        part = bisect_right(self.starts, start) - 1
        while start < stop:
            begin = self.starts[part]
            end = self.starts[part + 1] if part + 1 < len(self.starts) else self.length
            until = min(end, stop)
            if start < until:
                index, is_payload = divmod(part, 2)
                if is_payload:
                    found.append(EntrySlice(index, start - begin, until - start))
                else:
                    found.append(self.headers[index][start - begin : until - begin])
            start = max(start, until)
            part += 1
        return tuple(found)


def plan(entries: Sequence[StoredEntry]) -> Result[ArchivePlan, Unplannable]:
    """Lay the entries out in their order, or say which of them cannot be."""
    named = _named(entries)
    if failed(named):
        return named
    names = named.unwrap()
    headers = tuple(map(_local_header, entries, names))
    sizes = chain.from_iterable(
        (len(header), entry.size) for header, entry in zip(headers, entries, strict=True)
    )
    starts = tuple(accumulate(sizes, initial=0))
    for index, entry in enumerate(entries):
        if max(entry.size, starts[2 * index + 2]) > MAX_OFFSET:
            return Failure(TooLarge(index))
    directory = b"".join(map(_central_header, entries, names, starts[::2]))
    end = directory + _END.pack(
        b"PK\5\6", 0, 0, len(entries), len(entries), len(directory), starts[-1], 0
    )
    length = starts[-1] + len(end)
    crc = 0
    for header, entry in zip(headers, entries, strict=True):
        crc = crc_algebra.combine(zlib.crc32(header, crc), entry.crc32, entry.size)
    return Success(
        ArchivePlan(
            entries=tuple(entries),
            length=length,
            crc32=zlib.crc32(end, crc),
            etag=f'"{hashlib.sha256(end + length.to_bytes(8)).hexdigest()}"',
            headers=(*headers, end),
            starts=starts,
        )
    )


def _named(entries: Sequence[StoredEntry]) -> Result[tuple[bytes, ...], Unplannable]:
    if len(entries) > MAX_ENTRIES:
        return Failure(TooManyEntries(len(entries)))
    names: list[bytes] = []
    files: dict[str, int] = {}
    folders: dict[str, int] = {}
    for index, entry in enumerate(entries):
        fault = _fault(entry.name)
        if fault is not None:
            return Failure(BadName(index, fault))
        folded = unicodedata.normalize("NFC", entry.name).casefold()
        segments = folded.split("/")
        above = ["/".join(segments[:depth]) for depth in range(1, len(segments))]
        other = next((files[name] for name in (folded, *above) if name in files), None)
        other = folders.get(folded) if other is None else other
        if other is not None:
            return Failure(NameCollision(index, other))
        files[folded] = index
        folders.update(dict.fromkeys(above, index))
        names.append(entry.name.encode())
    return Success(tuple(names))


def _fault(name: str) -> NameFault | None:
    if not name:
        return NameFault.EMPTY
    if name.startswith("/"):
        return NameFault.NOT_RELATIVE
    if name.startswith("-"):
        return NameFault.OPTION_LIKE
    if any(segment in {"", ".", ".."} for segment in name.split("/")):
        return NameFault.SEGMENT
    if any(unicodedata.category(letter) in {"Cc", "Cs"} or letter == "\\" for letter in name):
        return NameFault.CHARACTER
    if len(name.encode()) > MAX_NAME_BYTES:
        return NameFault.TOO_LONG
    return None


def _local_header(entry: StoredEntry, name: bytes) -> bytes:
    return _LOCAL.pack(b"PK\3\4", _VERSION, *_facts(entry, name), 0) + name


def _central_header(entry: StoredEntry, name: bytes, offset: int) -> bytes:
    made = _MADE_ON_UNIX | _VERSION
    facts = _facts(entry, name)
    return _CENTRAL.pack(b"PK\1\2", made, _VERSION, *facts, 0, 0, 0, 0, _MODE, offset) + name


def _facts(entry: StoredEntry, name: bytes) -> tuple[int, ...]:
    """What both headers say in the same order: flags, method, time, date, CRC, sizes, length."""
    flags = 0 if name.isascii() else _UTF_8
    time, date = _dos_time(entry.modified)
    return flags, 0, time, date, entry.crc32, entry.size, entry.size, len(name)


def _dos_time(modified: datetime) -> tuple[int, int]:
    """MS-DOS time and date, in UTC, in steps of two seconds, held to what they can say."""
    at = min(max(modified, _EARLIEST), _LATEST).astimezone(UTC)
    time = at.hour << 11 | at.minute << 5 | at.second // 2
    date = (at.year - 1980) << 9 | at.month << 5 | at.day
    return time, date
