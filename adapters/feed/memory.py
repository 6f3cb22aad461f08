"""Waiting for events on one event loop: the numbers are here, the events are in the store.

The newest number of a session is remembered, so that what is stored between a reader's last look
and its wait wakes it at once.
"""

import asyncio
from collections import OrderedDict
from typing import Final

from domain.identity import SessionId

__all__ = ("MAX_REMEMBERED", "MemoryFeed")

MAX_REMEMBERED: Final = 4_096
"""Sessions whose newest number is kept; of a forgotten one a waiter learns with the next event."""


class MemoryFeed:
    __slots__ = ("_newest", "_waiting")

    def __init__(self) -> None:
        self._newest: OrderedDict[SessionId, int] = OrderedDict()
        self._waiting: dict[SessionId, set[asyncio.Future[int]]] = {}

    def publish(self, session: SessionId, through: int) -> None:
        newest = max(through, self._newest.pop(session, 0))
        self._newest[session] = newest
        if len(self._newest) > MAX_REMEMBERED:
            self._newest.popitem(last=False)
        for waiter in self._waiting.pop(session, ()):
            if not waiter.done():
                waiter.set_result(newest)

    async def wait(self, session: SessionId, after: int, seconds: float) -> int:
        try:
            async with asyncio.timeout(seconds):
                while (newest := self._newest.get(session, 0)) <= after:
                    await self._next(session)
        except TimeoutError:
            return after
        return newest

    async def _next(self, session: SessionId) -> None:
        waiter: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(session, set())
        waiting.add(waiter)
        try:
            await waiter
        finally:
            waiting.discard(waiter)
            if not waiting and self._waiting.get(session) is waiting:
                del self._waiting[session]
