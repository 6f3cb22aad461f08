"""What goes into a diagnostic bundle: sources, budgets, and the newest bytes of logs that fit.

Logs are given newest first. A log that does not fit whole loses its beginning, older ones go
altogether, and every byte left out is counted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

__all__ = (
    "ACP_BYTES",
    "ARCHIVE_BYTES",
    "BACKEND_BYTES",
    "BACKEND_BYTES_WITH_ACP",
    "FRONTEND_BYTES",
    "FRONTEND_BYTES_WITH_ACP",
    "LINE_SEARCH_BYTES",
    "MANIFEST_BYTES",
    "MANIFEST_NAME",
    "MAX_ROWS",
    "MIB",
    "RUNTIME_BYTES",
    "RUNTIME_NAME",
    "Cut",
    "LogFile",
    "Part",
    "Rows",
    "Selection",
    "Source",
    "acp_name",
    "backend_name",
    "budgets",
    "cut_at_line",
    "frontend_name",
    "select_rows",
    "select_tail",
)

MIB = 1024 * 1024

ARCHIVE_BYTES = 256 * MIB
"""The whole archive, headers included; what is delivered into a workspace is held to it too."""

BACKEND_BYTES = 160 * MIB
BACKEND_BYTES_WITH_ACP = 96 * MIB
FRONTEND_BYTES = 80 * MIB
FRONTEND_BYTES_WITH_ACP = 48 * MIB
RUNTIME_BYTES = 2 * MIB
ACP_BYTES = 96 * MIB
MANIFEST_BYTES = 256 * 1024

MAX_ROWS = 500
"""Sessions in the index of the runtime."""

LINE_SEARCH_BYTES = 256 * 1024
"""How far into a cut log the next line is looked for."""

MANIFEST_NAME = "manifest.json"
RUNTIME_NAME = "runtime/sessions.json"


class Source(StrEnum):
    """Where evidence comes from."""

    BACKEND = "backend"
    FRONTEND = "frontend"
    RUNTIME = "runtime"
    ACP = "acp"


class LogFile(NamedTuple):
    """A log as it is now, in bytes."""

    name: str
    size: int


class Part(NamedTuple):
    """`length` bytes of a log, up to its end as it was when it was measured."""

    name: str
    offset: int
    length: int


class Selection(NamedTuple):
    """What is taken of the logs, newest first; `partial` says that something is not."""

    parts: tuple[Part, ...]
    omitted_bytes: int
    partial: bool


class Cut(NamedTuple):
    """A part that begins with a line, unless no line begins near enough."""

    part: Part
    mid_line: bool


class Rows(NamedTuple):
    """A JSON array of the rows that fit, how many they are, and the bytes of those that do not."""

    payload: bytes
    taken: int
    omitted_bytes: int


_BUDGETS: Mapping[Source, int] = MappingProxyType({
    Source.BACKEND: BACKEND_BYTES,
    Source.FRONTEND: FRONTEND_BYTES,
    Source.RUNTIME: RUNTIME_BYTES,
})
_BUDGETS_WITH_ACP: Mapping[Source, int] = MappingProxyType({
    Source.BACKEND: BACKEND_BYTES_WITH_ACP,
    Source.FRONTEND: FRONTEND_BYTES_WITH_ACP,
    Source.RUNTIME: RUNTIME_BYTES,
    Source.ACP: ACP_BYTES,
})


def budgets(sources: Collection[Source]) -> dict[Source, int]:
    """The bytes that each requested source may take; what one does not use, none other gets."""
    shares = _BUDGETS_WITH_ACP if Source.ACP in sources else _BUDGETS
    return {source: share for source, share in shares.items() if source in sources}


def select_tail(files: Sequence[LogFile], budget: int) -> Selection:
    """The newest `budget` bytes of `files`, which come newest first; empty files cost nothing."""
    if budget < 0 or any(file.size < 0 for file in files):
        raise ValueError("neither a budget nor a size is negative")
    remaining = budget
    parts: list[Part] = []
    for file in files:
        length = min(file.size, remaining)
        remaining -= length
        if length or not file.size:
            parts.append(Part(file.name, file.size - length, length))
    omitted = sum(file.size for file in files) - (budget - remaining)
    return Selection(tuple(parts), omitted, omitted > 0)


def cut_at_line(part: Part, window: bytes) -> Cut:
    """Move a part that was cut to the next line that begins in it, if something is left then.

    `window` is the log from the byte before the part on; no more than `LINE_SEARCH_BYTES` of it
    are looked at.
    """
    if part.offset == 0:
        return Cut(part, mid_line=False)
    newline = window.find(b"\n", 0, min(LINE_SEARCH_BYTES, part.length))
    if newline < 0:
        return Cut(part, mid_line=True)
    return Cut(Part(part.name, part.offset + newline, part.length - newline), mid_line=False)


def select_rows(rows: Iterable[bytes], budget: int = RUNTIME_BYTES) -> Rows:
    """An array of encoded rows, until one would pass the budget or the bound on their number."""
    taken: list[bytes] = []
    size = len(b"[]\n")
    omitted = 0
    for row in rows:
        size += len(row) + (len(b",\n") if taken else 0)
        if not omitted and len(taken) < MAX_ROWS and size <= budget:
            taken.append(row)
        else:
            omitted += len(row)
    return Rows(b"[" + b",\n".join(taken) + b"]\n", len(taken), omitted)


def backend_name(file: str) -> str:
    """The entry of a log."""
    return f"backend/{file}"


def acp_name(number: int) -> str:
    """The entry of the session that was named `number`-th, counted from 1."""
    return f"acp/session-{number:02}.jsonl"


def frontend_name(number: int) -> str:
    """The entry of the browser that was heard `number`-th, counted from 1."""
    return f"frontend/browser-{number:02}.jsonl"
