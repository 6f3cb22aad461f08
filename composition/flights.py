"""The owner of work that is done once for several callers: joined when the server ends."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from types import TracebackType
from typing import Any, Self, TypeVar

import structlog
from typing_extensions import override

from ports.flights import Flights

__all__ = ("FlightTasks",)

Value = TypeVar("Value")

log = structlog.get_logger()


class FlightTasks(Flights):
    """Leaving gives up and joins what is under way."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}  # of as many kinds as there are keys
        self._callers: dict[asyncio.Task[Any], int] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        under_way = set(self._callers)
        for task in under_way:
            task.cancel()
        if under_way:
            await asyncio.wait(under_way)

    @override
    async def join(
        self, key: Hashable, fly: Callable[[], Awaitable[Value]], *, for_callers: bool = False
    ) -> Value:
        task: asyncio.Task[Value] | None = self._tasks.get(key)
        if task is None:
            task = asyncio.create_task(_flown(fly))
            self._tasks[key] = task
            self._callers[task] = 0
            task.add_done_callback(lambda done: self._landed(key, done))
        self._callers[task] += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if for_callers and self._callers.get(task) == 1:
                await self._give_up(key, task)
            raise
        finally:
            if task in self._callers:
                self._callers[task] -= 1

    async def _give_up(self, key: Hashable, task: "asyncio.Task[Any]") -> None:  # as above
        self._forget(key, task)  # who asks from now on begins anew
        task.cancel()
        await asyncio.wait({task})

    def _landed(self, key: Hashable, task: "asyncio.Task[Any]") -> None:  # as above
        self._forget(key, task)
        del self._callers[task]
        if not task.cancelled() and task.exception() is not None:
            log.error("flight_failed", exc_info=task.exception())

    def _forget(self, key: Hashable, task: "asyncio.Task[Any]") -> None:  # as above
        if self._tasks.get(key) is task:
            del self._tasks[key]


async def _flown(fly: Callable[[], Awaitable[Value]]) -> Value:
    return await fly()
