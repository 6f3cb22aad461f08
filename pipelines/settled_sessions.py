"""Wait for what goes on in the sessions of a task, before something else begins there."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from domain.change import SessionSettled, TaskChanged
from domain.identity import SessionId, TaskId
from domain.session_order import WAIT_SECONDS, Wish, waits
from ports.changes import Following
from ports.store import Store

__all__ = ("SettledSessions",)


@dataclass(frozen=True, slots=True)
class SettledSessions:
    """`seconds` are shortened by tests, and by nothing else."""

    store: Store
    seconds: Mapping[Wish, float] = field(default_factory=lambda: WAIT_SECONDS)

    async def __call__(self, wish: Wish, task: TaskId, own: SessionId | None = None) -> None:
        """Until nothing is awaited any more, or the time is up; never a refusal."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.seconds[wish]):
                while await self._unsettled(wish, task, own):
                    pass

    async def _unsettled(self, wish: Wish, task: TaskId, own: SessionId | None) -> bool:
        """Look, and if it must wait, until something changed; whether to look again."""
        with self.store.follow() as following:
            async with self.store.read() as state:
                sessions = await state.sessions(task)
            if not waits(wish, own, sessions):
                return False
            await _moved(following)
        return True


async def _moved(following: Following) -> None:
    while changes := await following():
        if any(isinstance(each, SessionSettled | TaskChanged) for each in changes):
            return
