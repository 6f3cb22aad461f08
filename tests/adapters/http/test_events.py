"""The event stream: server-sent events from any number on, without a gap and without a repeat."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

import httpx2
import pytest
from typing_extensions import override

from adapters.http import events as stream
from composition.flights import FlightTasks
from domain.event import EventKind, ExecutionEvent
from domain.identity import SessionId
from tests.adapters.http.conftest import TOKEN, Json, Web, listening
from tests.pipelines.plane import OWNER
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Value = TypeVar("Value")

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BEARER = {"authorization": f"Bearer {TOKEN}"}


class Message(NamedTuple):
    id: int
    event: str
    data: Json


def parsed(text: str) -> list[Message]:
    """The messages of a stream (WHATWG HTML, 9.2.6); comments are no messages."""
    messages = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        fields = dict(line.split(": ", 1) for line in lines)
        if fields:
            messages.append(Message(int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return messages


def chunks(*numbers: int) -> Sequence[ExecutionEvent]:
    return [
        ExecutionEvent(number, NOW, EventKind.MESSAGE_CHUNK, 1, {"text": f"line\n{number}"})
        for number in numbers
    ]


async def recorded(web: Web, session: Json, *numbers: int) -> None:
    """Store events of the session's execution, as its follower does."""
    execution = await web.plane.execution(session["execution_id"])
    await web.plane.container.follow().record(execution.handle, chunks(*numbers))


async def read(web: Web, session: Json, query: str = "", **headers: str) -> list[Message]:
    """What is stored now."""
    path = f"/api/v1/sessions/{session['id']}/events?follow=false{query}"
    answer = await web.client.get(
        path, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    return parsed(answer.text)


async def test_an_event_is_told_with_its_number_its_kind_and_its_body(web: Web) -> None:
    session = await web.session()
    await recorded(web, session, 1)

    [message] = await read(web, session)

    assert message == Message(
        1,
        "message_chunk",
        {
            "sequence": 1,
            "at": "2026-01-02T03:04:05Z",
            "kind": "message_chunk",
            "generation": 1,
            "body": {"text": "line\n1"},
        },
    )


@requirement("rest:events")
@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        ("", {}, [1, 2, 3]),
        ("&after=1", {}, [2, 3]),
        ("&after=3", {}, []),
        ("&after=9", {}, []),
        ("", {"last_event_id": "2"}, [3]),
        ("&after=1", {"last_event_id": "2"}, [3]),
        ("&after=2", {"last_event_id": "1"}, [3]),
        ("&after=1", {"last_event_id": ""}, [2, 3]),
        ("&after=1", {"last_event_id": "two"}, [2, 3]),
        ("&after=1", {"last_event_id": "-1"}, [2, 3]),
        ("&after=1", {"last_event_id": "9" * 400}, []),
    ],
)
async def test_a_reader_begins_after_what_it_saw(
    web: Web, query: str, headers: dict[str, str], expected: list[int]
) -> None:
    session = await web.session()
    await recorded(web, session, 1, 2, 3)

    assert [each.id for each in await read(web, session, query, **headers)] == expected


@pytest.mark.parametrize("query", ["after=-1", "after=x", "after=99999999999999999999", "follow=?"])
async def test_a_number_that_is_none_is_refused(web: Web, query: str) -> None:
    session = await web.session()

    refused = await web.refused("GET", f"/api/v1/sessions/{session['id']}/events?{query}")

    assert refused == (400, "invalid_request")


@requirement("rest:events")
async def test_a_long_history_is_told_whole(web: Web) -> None:
    session = await web.session()
    count = stream.BATCH + 1
    await recorded(web, session, *range(1, count + 1))

    assert [each.id for each in await read(web, session)] == [*range(1, count + 1)]


@requirement("rest:events")
async def test_a_reader_that_comes_back_misses_nothing_and_sees_nothing_twice(web: Web) -> None:
    session = await web.session()
    await recorded(web, session, 1, 2)
    path = f"/api/v1/sessions/{session['id']}/events"

    async with (
        asyncio.timeout(20),
        listening(web.plane) as url,
        httpx2.AsyncClient(base_url=url, headers=BEARER, trust_env=False) as client,
    ):
        async with client.stream("GET", path) as answer:
            first = await taken(answer, 2)
            await recorded(web, session, 3)
            first += await taken(answer, 1)
        await recorded(web, session, 4)
        again = {"last-event-id": str(first[-1].id)}
        async with client.stream("GET", path, headers=again) as answer:
            second = await taken(answer, 1)
            await recorded(web, session, 5)
            second += await taken(answer, 1)

    assert [each.id for each in first + second] == [1, 2, 3, 4, 5]


async def test_a_quiet_stream_says_that_it_is_there(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await web.session()
    monkeypatch.setattr(stream, "KEEP_ALIVE_SECONDS", 0.01)

    told = stream.events_from(web.plane.api, session["id"], 0, follow=True)
    async with asyncio.timeout(10):
        assert await anext(told) == b": still here\n\n"


async def test_a_stream_ends_with_its_session(web: Web) -> None:
    session = await web.session()
    await recorded(web, session, 1, 2)
    (await web.plane.api.delete_task(OWNER, session["task_id"])).unwrap()

    async with asyncio.timeout(10):
        told = [
            each async for each in stream.events_from(web.plane.api, session["id"], 0, follow=True)
        ]

    assert told == []


async def next_of(told: AsyncIterator[bytes]) -> bytes:
    return await anext(told)


async def taken(answer: httpx2.Response, count: int) -> list[Message]:
    """The next messages of a stream."""
    text = ""
    parts = _parts(answer)
    while text.count("\n\n") < count:
        text += await anext(parts)
    return parsed(text)


def _parts(answer: httpx2.Response) -> AsyncIterator[str]:
    parts: AsyncIterator[str] = answer.extensions.setdefault("parts", answer.aiter_text())
    return parts


@requirement("rest:events")
async def test_a_reader_that_comes_back_to_a_long_history_gets_what_it_missed(web: Web) -> None:
    session = await web.session()
    for start in range(1, 50_000, 2_000):
        await recorded(web, session, *range(start, start + 2_000))

    missed = await read(web, session, last_event_id="49990")

    assert [each.id for each in missed] == list(range(49_991, 50_001))


class CountingFlights(FlightTasks):
    """Counts what is really done."""

    def __init__(self) -> None:
        super().__init__()
        self.flown = 0

    @override
    async def join(
        self, key: Hashable, fly: Callable[[], Awaitable[Value]], *, for_callers: bool = False
    ) -> Value:
        async def counted() -> Value:
            self.flown += 1
            return await fly()

        return await super().join(key, counted, for_callers=for_callers)


@requirement("rest:events:shared")
async def test_readers_of_the_same_events_have_them_read_once(web: Web) -> None:
    session = await web.session()
    flights = CountingFlights()
    api = replace(web.plane.api, flights=flights)
    streams = [stream.events_from(api, SessionId(session["id"]), 0, follow=True) for _ in range(50)]
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        first = [group.create_task(next_of(each)) for each in streams]
        await asyncio.sleep(0)
        await recorded(web, session, 1, 2)

    told = [parsed(each.result().decode()) for each in first]
    for each in streams:
        await each.aclose()  # type: ignore[attr-defined]  # an async generator
    assert [[message.id for message in each] for each in told] == [[1, 2]] * 50
    assert flights.flown < 50
