"""The end of streams of events, which have none of their own, when the server or their token ends.

To the application it looks as if its client had left. The answer ends as a whole one, so that the
client knows that nothing was cut off. Every other answer is left to its own end.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias, cast

from litestar.enums import ScopeType
from litestar.types import (
    LifeSpanReceive,
    LifeSpanScope,
    LifeSpanSend,
    Message,
    Receive,
    Scope,
    Send,
)

__all__ = ("Farewell",)

_Application: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]
_STREAM: Final = b"text/event-stream"


class Farewell:
    """An application whose streams end once `say` was called, or `over` was set."""

    def __init__(self, app: _Application, over: asyncio.Event | None = None) -> None:
        self._app = app
        self._over = over or asyncio.Event()

    def say(self) -> None:
        self._over.set()

    async def __call__(
        self,
        scope: Scope | LifeSpanScope,
        receive: Receive | LifeSpanReceive,
        send: Send | LifeSpanSend,
    ) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(cast("Receive", receive), cast("Send", send), self._over)
        await self._app(scope, exchange.receive, exchange.send)
        if self._over.is_set():
            await exchange.complete()


class _Exchange:
    """One request and its answer, which is a stream from its head to its last chunk."""

    def __init__(self, receive: Receive, send: Send, over: asyncio.Event) -> None:
        self._receive = receive
        self._send = send
        self._over = over
        self._read = self._stream = False

    async def receive(self) -> Any:  # any message of ASGI
        if not self._read:
            message = await self._receive()
            self._read = message["type"] != "http.request" or not message.get("more_body")
            return message
        hearing = asyncio.ensure_future(self._receive())
        over = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait({hearing, over}, return_when=asyncio.FIRST_COMPLETED)
            if self._stream and not hearing.done():
                return {"type": "http.disconnect"}
            return await hearing
        finally:
            hearing.cancel()
            over.cancel()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._stream = dict(message["headers"]).get(b"content-type", b"").startswith(_STREAM)
        elif message["type"] == "http.response.body" and not message.get("more_body"):
            self._stream = False
        await self._send(message)

    async def complete(self) -> None:
        if self._stream:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
