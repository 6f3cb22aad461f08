"""The outside door: streamable HTTP for clients that act for a user.

The server keeps nothing between requests, so a client goes on where it was when the control plane
comes back. The protocol's library takes a second and tens of megabytes: it comes in with the first
request, in a thread.
"""

import asyncio
import importlib
from types import TracebackType
from typing import Any, Protocol, Self

from adapters.mcp.backend import Backend
from domain.principal import Principal
from domain.tool_bounds import MAX_MESSAGE_BYTES

__all__ = ("OutsideDoor",)

Message = Any  # a scope, receive or send of ASGI, whose library is the other end's own


class Serving(Protocol):
    """What runs the protocol once it is there."""

    async def __call__(
        self, principal: Principal, scope: Message, receive: Message, send: Message
    ) -> None: ...


class OutsideDoor:
    """An ASGI application for requests whose principal is known; one task of its own serves it."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._wanted = asyncio.Event()
        self._closing = asyncio.Event()
        self._serving: asyncio.Future[Serving] | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._serving = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._serve(self._serving))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._wanted.set()
        if self._task is not None:
            await asyncio.wait({self._task})

    async def __call__(
        self, principal: Principal, scope: Message, receive: Message, send: Message
    ) -> None:
        assert self._serving is not None, "requests come inside `async with`"
        self._wanted.set()
        serving = await asyncio.shield(self._serving)
        await serving(principal, scope, receive, send)

    async def _serve(self, ready: "asyncio.Future[Serving]") -> None:
        """The protocol's tasks begin and end in this one, as their library demands."""
        await self._wanted.wait()
        if self._closing.is_set():
            ready.cancel()
            return
        http: Any = await asyncio.to_thread(importlib.import_module, "adapters.mcp.http")
        async with http.serving(self._backend, MAX_MESSAGE_BYTES) as serving:
            ready.set_result(serving)
            await self._closing.wait()
