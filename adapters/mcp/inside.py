"""The inside door: the tools for agents, each for the execution that its connection belongs to.

The protocol's library takes a second and tens of megabytes: it comes in with the first client, in a
thread.
"""

import asyncio
import importlib
from collections.abc import AsyncIterator
from typing import Any

import structlog
from typing_extensions import override

from adapters.mcp.backend import Backend
from domain.execution import ExecutionState
from domain.identity import ExecutionId
from domain.principal import Execution
from ports.tools import Say, ToolDoor

__all__ = ("InsideDoor",)

log = structlog.get_logger()


class InsideDoor(ToolDoor):
    """Shut until `open` gives what is behind it; who comes before waits."""

    def __init__(self) -> None:
        self._opened: asyncio.Future[Backend] | None = None

    def open(self, backend: Backend) -> None:
        self._door().set_result(backend)

    @override
    async def serve(self, execution: ExecutionId, heard: AsyncIterator[bytes], say: Say) -> None:
        backend = await asyncio.shield(self._door())
        principal = await bound(backend, execution)
        if principal is None:
            log.warning("tools_of_no_execution", execution=execution)
            return
        lines: Any = await asyncio.to_thread(importlib.import_module, "adapters.mcp.lines")
        await lines.serve(backend, principal, heard, say)

    def _door(self) -> "asyncio.Future[Backend]":
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
        return self._opened


async def bound(backend: Backend, execution: ExecutionId) -> Execution | None:
    """The principal that an execution is, as it is stored; None for one that has ended."""
    async with backend.store.read() as state:
        found = await state.execution(execution)
    if found is None or found.state is ExecutionState.ENDED:
        return None
    return Execution(found.id, found.task, found.session)
