"""The end of what a token holds open when it is revoked.

To the application it looks as if its client had left. A stream of events ends as a whole answer, a
WebSocket is closed with 4401; an answer that has an end of its own comes to it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

from litestar.enums import ScopeType
from litestar.types import Message, Receive, Scope, Send

from adapters.http.farewell import Farewell

__all__ = ("UNAUTHORIZED", "serve_until")

_Application: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]

UNAUTHORIZED: Final = 4401
"""What a WebSocket is closed with when its token opens nothing."""


async def serve_until(
    over: asyncio.Event, app: _Application, scope: Scope, receive: Receive, send: Send
) -> None:
    """Have the application answer, and end what goes on when `over` is set."""
    if scope["type"] != ScopeType.WEBSOCKET:
        await Farewell(app, over)(scope, receive, send)
        return
    link = _Link(receive, send, over)
    await app(scope, link.receive, link.send)
    await link.complete()


class _Link:
    """A WebSocket whose client seems to leave when the token is revoked."""

    def __init__(self, receive: Receive, send: Send, over: asyncio.Event) -> None:
        self._receive = receive
        self._send = send
        self._over = over
        self._begun = self._closed = False

    async def receive(self) -> Any:  # any message of ASGI
        if not self._begun:
            self._begun = True
            return await self._receive()
        hearing = asyncio.ensure_future(self._receive())
        over = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait({hearing, over}, return_when=asyncio.FIRST_COMPLETED)
            if self._over.is_set():
                return {"type": "websocket.disconnect", "code": UNAUTHORIZED}
            message = await hearing
        finally:
            hearing.cancel()
            over.cancel()
        self._closed = message["type"] == "websocket.disconnect"
        return message

    async def send(self, message: Message) -> None:
        self._closed = self._closed or message["type"] == "websocket.close"
        await self._send(message)

    async def complete(self) -> None:
        if self._over.is_set() and not self._closed:
            with suppress(OSError):
                await self.send({
                    "type": "websocket.close",
                    "code": UNAUTHORIZED,
                    "reason": "unauthorized",
                })
