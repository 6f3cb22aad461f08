"""Events as they travel, a line of JSON each; what arrived together is handed on together."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final

import httpx2
import msgspec

from adapters.agentctl import wire
from domain.event import EventKind, ExecutionEvent

__all__ = ("batches", "lines_of", "read_event")

MAX_BATCH: Final = 500
"""Events that are handed on together at most."""

_event = msgspec.json.Decoder(wire.Event)


async def lines_of(stream: httpx2.Response) -> AsyncIterator[Sequence[bytes]]:
    """The whole lines of the stream, those that arrived together."""
    rest = b""
    async for part in stream.aiter_bytes():
        *lines, rest = (rest + part).split(b"\n")
        for start in range(0, len(lines), MAX_BATCH):
            yield lines[start : start + MAX_BATCH]


async def batches(stream: httpx2.Response) -> AsyncIterator[Sequence[ExecutionEvent]]:
    async for lines in lines_of(stream):
        yield [read_event(line) for line in lines]


def read_event(line: bytes) -> ExecutionEvent:
    event = _event.decode(line)
    body: dict[str, Any] = msgspec.json.decode(event.body)  # the event's own JSON object
    at = datetime.fromisoformat(event.at)
    return ExecutionEvent(event.n, at, EventKind(event.kind), event.generation, body)
