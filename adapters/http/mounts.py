"""Other applications behind the same door: each request comes to them with its principal."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send

from adapters.http.door import PRINCIPAL
from domain.principal import Principal

__all__ = ("Mounted", "mount")

Mounted: TypeAlias = Callable[[Principal, Scope, Receive, Send], Awaitable[None]]


def mount(path: str, mounted: Mounted) -> ASGIRouteHandler:
    @asgi(path, is_mount=True, copy_scope=True)
    async def forward(scope: Scope, receive: Receive, send: Send) -> None:
        principal: Principal = scope["state"][PRINCIPAL]
        await mounted(principal, scope, receive, send)

    return forward
