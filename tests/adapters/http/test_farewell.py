"""Streams that end with the server, and answers that are left to their own end."""

import asyncio
from typing import Any

import pytest

from adapters.http.farewell import Farewell
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("rest:events:farewell")]


class Exchange:
    """A client that stays, and all that it was sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self._asked = False

    async def receive(self) -> dict[str, Any]:
        if self._asked:
            await asyncio.Event().wait()
        self._asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


def answering(kind: bytes, begun: asyncio.Event, go: asyncio.Event) -> Any:  # an application
    """Answers in two parts, the second one when its client leaves or when it may go on."""

    async def app(_: object, receive: Any, send: Any) -> None:
        await receive()
        await send({
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", kind)],
        })
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        begun.set()
        leaving, going = asyncio.create_task(receive()), asyncio.create_task(go.wait())
        await asyncio.wait({leaving, going}, return_when=asyncio.FIRST_COMPLETED)
        left = leaving.done() and leaving.result() == {"type": "http.disconnect"}
        leaving.cancel()
        going.cancel()
        if not left:
            await send({"type": "http.response.body", "body": b"two", "more_body": False})

    return app


async def test_a_stream_ends_whole_when_the_server_stops() -> None:
    begun, never = asyncio.Event(), asyncio.Event()
    exchange = Exchange()
    app = Farewell(answering(b"text/event-stream; charset=utf-8", begun, never))
    following = asyncio.create_task(app({"type": "http"}, exchange.receive, exchange.send))  # type: ignore[arg-type]  # enough of a scope
    await begun.wait()

    app.say()
    await following

    assert [each.get("body") for each in exchange.sent] == [None, b"one", b""]
    assert exchange.sent[-1]["more_body"] is False


async def test_any_other_answer_is_left_to_its_own_end() -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    exchange = Exchange()
    app = Farewell(answering(b"application/zip", begun, go))
    sending = asyncio.create_task(app({"type": "http"}, exchange.receive, exchange.send))  # type: ignore[arg-type]  # enough of a scope
    await begun.wait()

    app.say()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not sending.done()
    go.set()
    await sending

    assert [each.get("body") for each in exchange.sent] == [None, b"one", b"two"]
