"""One at a time decides about the execution of a session: who replaces it, or who relies on it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from domain.identity import SessionId

__all__ = ("SessionFences",)


@dataclass(slots=True)
class _Fence:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class SessionFences:
    """Of this process, which is the only one that starts sessions of its home."""

    def __init__(self) -> None:
        self._fences: dict[SessionId, _Fence] = {}

    @asynccontextmanager
    async def hold(self, session: SessionId) -> AsyncIterator[None]:
        """While it is held nobody else replaces the execution of the session."""
        fence = self._fences.setdefault(session, _Fence())
        fence.users += 1
        try:
            async with fence.lock:
                yield
        finally:
            fence.users -= 1
            if not fence.users:
                del self._fences[session]
