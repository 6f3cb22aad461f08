"""The event stream of a session: server-sent events (WHATWG HTML, 9.2), from any number on.

The id of an event is its number in the session, so a client that reconnects with `Last-Event-ID`
misses nothing and sees nothing twice. A comment every 15 seconds keeps the connection known alive.
"""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Annotated, Final, NamedTuple

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.params import (
    FromPath,
    FromQuery,
    HeaderParameter,
    QueryParameter,
    SkipValidation,
)
from litestar.response import Stream

from adapters.http.api import Api
from adapters.http.sessions import found
from domain.event import SessionEvent
from domain.identity import SessionId
from domain.principal import Principal

__all__ = ("stream_events",)

BATCH: Final = 500
"""Events read from the store at once."""
KEEP_ALIVE_SECONDS: Final = 15.0

_encoder = msgspec.json.Encoder()


@get(
    "/api/v1/sessions/{session_id:str}/events",
    tags=["sessions"],
    media_type="text/event-stream",
)
async def stream_events(
    session_id: FromPath[str],
    api: NamedDependency[Api],
    principal: NamedDependency[SkipValidation[Principal]],
    after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
    follow: FromQuery[bool] = True,
    last_event_id: Annotated[str | None, HeaderParameter(name="last-event-id")] = None,
) -> Stream:
    """Events after `after` in order; with `follow` also those to come.

    The stream ends when the client leaves, or when the session is deleted.
    """
    session = await found(api, principal, session_id)
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit():
        after = max(after, int(last_event_id[:16]))
    return Stream(
        events_from(api, session.id, after, follow=follow),
        headers={"cache-control": "no-store"},
    )


async def events_from(
    api: Api, session: SessionId, after: int, *, follow: bool
) -> AsyncIterator[bytes]:
    while True:
        # Readers who wait for the same event ask at the same moment: it is read and encoded once.
        read = await api.flights.join(
            ("events", session, after), partial(_read, api, session, after)
        )
        if read.encoded:
            yield read.encoded
            after = read.last
        elif read.gone or not follow:
            return
        elif await api.feed.wait(session, after, KEEP_ALIVE_SECONDS) <= after:
            yield b": still here\n\n"


class _Read(NamedTuple):
    """`gone`: the session was deleted."""

    encoded: bytes
    last: int
    gone: bool


async def _read(api: Api, session: SessionId, after: int) -> _Read:
    async with api.store.read() as state:
        events = await state.events(session, after, BATCH)
        gone = not events and await state.session(session) is None
    return _Read(encode(events), events[-1].sequence if events else after, gone)


def encode(events: Sequence[SessionEvent]) -> bytes:
    return b"".join(
        b"id: %d\nevent: %s\ndata: %s\n\n"
        % (event.sequence, event.kind.value.encode(), _encoder.encode(body(event)))
        for event in events
    )


def body(event: SessionEvent) -> dict[str, object]:
    return {
        "sequence": event.sequence,
        "at": event.at,
        "kind": event.kind.value,
        "generation": event.generation,
        "body": event.body,
    }
