"""The owner of the tasks that follow executions: started with the server, joined with it."""

import asyncio
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

import structlog
from typing_extensions import override

from domain.event import ExecutionEvent
from domain.execution import Handle
from domain.identity import ExecutionId, TurnId
from domain.outcome import failed
from pipelines.follow_execution import FollowExecution
from ports.followers import Followers
from ports.runtime import Runtime

__all__ = ("FollowerTasks",)

FIRST_WAIT_SECONDS: Final = 0.1
LONGEST_WAIT_SECONDS: Final = 5.0
"""Between attempts to reach an agentctl that is still alive; each is twice the one before."""

log = structlog.get_logger()


class FollowerTasks(Followers):
    """One task an execution, inside `async with`; leaving ends and joins them all."""

    def __init__(self, follow: FollowExecution, runtime: Runtime, gone: Callable[[], bool]) -> None:
        self._follow = follow
        self._runtime = runtime
        self._gone = gone
        self._tasks: dict[ExecutionId, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = await asyncio.TaskGroup().__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in list(self._tasks.values()):
            task.cancel()
        group, self._group = self._group, None
        if group is not None:
            await group.__aexit__(None, None, None)

    @override
    def follow(self, handle: Handle, after: int, doubt: TurnId | None = None) -> None:
        if self._group is None or handle.execution in self._tasks:
            return
        task = self._group.create_task(self._run(handle, after, doubt))
        self._tasks[handle.execution] = task
        task.add_done_callback(lambda _: self._tasks.pop(handle.execution, None))

    @override
    async def heard(self, handle: Handle, events: Sequence[ExecutionEvent]) -> None:
        await self._follow.record(handle, events)

    async def _run(self, handle: Handle, after: int, doubt: TurnId | None) -> None:
        try:
            await self._until_over(handle, after, doubt)
        except Exception:
            log.exception("follower_failed", execution=handle.execution)

    async def _until_over(self, handle: Handle, after: int, doubt: TurnId | None) -> None:
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                await self._follow(handle, after, doubt)
            except ConnectionError:
                # The next agentctl finishes what a killed one left; without one, nothing will come.
                if failed(await self._runtime.attend()) and self._gone():
                    await self._follow.conclude(handle)
                    return
                await asyncio.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT_SECONDS)
                after = await self._follow.stored(handle)
            else:
                return
