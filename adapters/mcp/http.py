"""Streamable HTTP of the protocol, stateless: every request brings all that it needs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from adapters.mcp.backend import Backend
from adapters.mcp.server import Context, make_server
from adapters.mcp.toolbox import OUTSIDE
from domain.principal import Principal

__all__ = ("Serving", "serving")

PRINCIPAL: Final = "kandev.mcp.principal"
"""Where the scope of a request holds for whom it is."""


class Serving:
    """Hands a request to the protocol together with its principal."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, principal: Principal, scope: Any, receive: Any, send: Any) -> None:
        await self._manager.handle_request({**scope, PRINCIPAL: principal}, receive, send)


@asynccontextmanager
async def serving(backend: Backend, max_body_bytes: int) -> AsyncIterator[Serving]:
    manager = StreamableHTTPSessionManager(
        make_server(backend, OUTSIDE, principal_of),
        stateless=True,
        json_response=True,
        # Host and Origin were looked at before, by the door that all requests come through.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=max_body_bytes,
    )
    async with manager.run():
        yield Serving(manager)


def principal_of(context: Context) -> Principal:
    assert context.request is not None, "every call comes with its request"
    principal: Principal = context.request.scope[PRINCIPAL]
    return principal
