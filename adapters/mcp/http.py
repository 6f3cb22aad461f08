"""Streamable HTTP of the protocol, stateless: every request brings all that it needs.

An answer is one JSON object, except for a request of version 2026-07-28 or later that asks to be
told of its progress: that one is answered with a stream of events, which the progress comes on.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from adapters.mcp.backend import Backend
from adapters.mcp.server import Context, make_server
from adapters.mcp.toolbox import OUTSIDE
from domain.principal import Principal

__all__ = ("Serving", "serving")

PRINCIPAL: Final = "kandev.mcp.principal"
"""Where the scope of a request holds for whom it is."""
VERSION: Final = b"mcp-protocol-version"
ASKS_FOR_PROGRESS: Final = b'"progressToken"'
"""A request that says it elsewhere is answered with a stream too, which is no harm."""


class Serving:
    """Hands a request to the protocol together with its principal."""

    def __init__(
        self,
        plain: StreamableHTTPSessionManager,
        streaming: StreamableHTTPSessionManager,
        max_body_bytes: int,
    ) -> None:
        self._plain = plain
        self._streaming = streaming
        self._max_body_bytes = max_body_bytes

    async def __call__(self, principal: Principal, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] != "POST":
            await _refuse(send)
            return
        heard = await self._begin(receive) if may_stream(scope) else []
        body = b"".join(each.get("body", b"") for each in heard)
        manager = self._streaming if ASKS_FOR_PROGRESS in body else self._plain

        async def again() -> Any:
            return heard.pop(0) if heard else await receive()

        await manager.handle_request({**scope, PRINCIPAL: principal}, again, send)

    async def _begin(self, receive: Any) -> list[Any]:
        """The messages with the body; of one that is too large only as many as show that."""
        heard: list[Any] = []
        size = 0
        more = True
        while more and size <= self._max_body_bytes:
            message = await receive()
            heard.append(message)
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
        return heard


async def _refuse(send: Any) -> None:
    """Without a session there is no stream to open and none to end (streamable HTTP, 405)."""
    headers = [(b"allow", b"POST"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 405, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def may_stream(scope: Any) -> bool:
    """The library's streams for older clients leave a task behind that nobody ends."""
    named = (value for name, value in scope["headers"] if name == VERSION)
    version = next(named, b"").decode("latin-1")
    return version in MODERN_PROTOCOL_VERSIONS


@asynccontextmanager
async def serving(backend: Backend, max_body_bytes: int) -> AsyncIterator[Serving]:
    server = make_server(backend, OUTSIDE, principal_of)
    plain, streaming = (
        StreamableHTTPSessionManager(
            server,
            stateless=True,
            json_response=json_response,
            # Host and Origin were looked at before, by the door that all requests come through.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=max_body_bytes,
        )
        for json_response in (True, False)
    )
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(plain.run())
        await stack.enter_async_context(streaming.run())
        yield Serving(plain, streaming, max_body_bytes)


def principal_of(context: Context) -> Principal:
    assert context.request is not None, "every call comes with its request"
    principal: Principal = context.request.scope[PRINCIPAL]
    return principal
