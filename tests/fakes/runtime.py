"""Agents on a machine that is not there: answers as it is told, and remembers what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from typing_extensions import override

from domain.credential_doctor import Diagnosis, Examined
from domain.event import ExecutionEvent
from domain.execution import Handle
from domain.git_configuration import GitConfiguration
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import (
    EventsBeyondError,
    Heard,
    InstanceStatus,
    Kept,
    Launched,
    LaunchSpec,
    Runtime,
    RuntimeCode,
    RuntimeProblem,
    Worktrees,
)

__all__ = ("FakeRuntime",)


class FakeRuntime(Runtime):
    """Every call is answered by its member of `refuses`, if there is one, and else taken.

    `alive` are the instances that would be listed. `overture` is told of each launch, `meanwhile` runs
    while an agent starts, and `stopping` while one ends.
    """

    def __init__(self) -> None:
        self.refuses: dict[str, RuntimeProblem] = {}
        self.launches: list[LaunchSpec] = []
        self.alive: dict[Handle, InstanceStatus] = {}
        self.prompts: list[tuple[Handle, int, str]] = []
        self.cancelled: list[Handle] = []
        self.attended = 0
        self.answers: list[tuple[Handle, str, str | None]] = []
        self.stopped: list[Handle] = []
        self.released: list[Handle] = []
        self.removed: list[Worktrees] = []
        self.restored: list[Worktrees] = []
        self.acknowledged: list[tuple[Handle, int]] = []
        self.tells = Launched(
            "conversation-1", resumed=False, lost_context=None, removed=(), capabilities={}
        )
        self.overture: Sequence[ExecutionEvent] = ()
        self.meanwhile: Callable[[LaunchSpec], Awaitable[None]] | None = None
        self.stopping: Callable[[Handle], Awaitable[None]] | None = None
        self._streams: dict[
            Handle,
            asyncio.Queue[Sequence[ExecutionEvent] | ConnectionError | EventsBeyondError | None],
        ] = {}

    def say(self, handle: Handle, events: Sequence[ExecutionEvent] | None) -> None:
        """Hand a batch to whoever follows; None ends the stream."""
        self._streams.setdefault(handle, asyncio.Queue()).put_nowait(events)

    def goes_away(self, handle: Handle) -> None:
        """Whoever follows loses the connection once it was given everything."""
        self._streams.setdefault(handle, asyncio.Queue()).put_nowait(ConnectionError("gone"))

    def knows_less(self, handle: Handle) -> None:
        """Whoever follows has more events than the instance ever had."""
        self._streams.setdefault(handle, asyncio.Queue()).put_nowait(EventsBeyondError())

    @override
    async def launch(
        self, spec: LaunchSpec, heard: Heard | None = None
    ) -> Result[Launched, RuntimeProblem]:
        self.launches.append(spec)
        if heard is not None and self.overture:
            await heard(self.overture)
        if self.meanwhile is not None:
            await self.meanwhile(spec)
        refused = self._answer("launch")
        if failed(refused):
            return refused
        self.alive[spec.handle] = InstanceStatus(
            spec.handle, alive=True, turn_generation=None, last=0
        )
        return Success(self.tells)

    @override
    async def prompt(
        self, handle: Handle, generation: int, text: str
    ) -> Result[None, RuntimeProblem]:
        self.prompts.append((handle, generation, text))
        return self._answer("prompt")

    @override
    async def attend(self) -> Result[None, RuntimeProblem]:
        self.attended += 1
        return self._answer("attend")

    @override
    async def cancel(self, handle: Handle) -> Result[None, RuntimeProblem]:
        self.cancelled.append(handle)
        return self._answer("cancel")

    @override
    async def answer(
        self, handle: Handle, request: str, option: str | None
    ) -> Result[None, RuntimeProblem]:
        self.answers.append((handle, request, option))
        return self._answer("answer")

    @override
    async def stop(self, handle: Handle) -> Result[None, RuntimeProblem]:
        self.stopped.append(handle)
        if self.stopping is not None:
            await self.stopping(handle)
        refused = self._answer("stop")
        if not failed(refused) and self.alive.pop(handle, None) is None:
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "no such instance"))
        return refused

    @override
    async def release(self, handle: Handle) -> None:
        self.released.append(handle)
        self.alive.pop(handle, None)

    @override
    async def events(self, handle: Handle, after: int) -> AsyncIterator[Sequence[ExecutionEvent]]:
        if "events" in self.refuses:
            raise ConnectionError(self.refuses["events"].detail)
        stream = self._streams.setdefault(handle, asyncio.Queue())
        while (batch := await stream.get()) is not None:
            if isinstance(batch, ConnectionError | EventsBeyondError):
                raise batch
            yield batch

    @override
    async def acknowledge(self, handle: Handle, through: int) -> None:
        self.acknowledged.append((handle, through))

    @override
    async def instances(self) -> Result[Sequence[InstanceStatus], RuntimeProblem]:
        refused = self._answer("instances")
        return refused if failed(refused) else Success(tuple(self.alive.values()))

    @override
    async def git_configuration(self, handle: Handle) -> Result[GitConfiguration, RuntimeProblem]:
        refused = self._answer("git_configuration")
        return refused if failed(refused) else Success(GitConfiguration((), (), (), (), ()))

    @override
    async def remove_workspace(
        self, worktrees: Worktrees
    ) -> Result[Sequence[Kept], RuntimeProblem]:
        self.removed.append(worktrees)
        refused = self._answer("remove_workspace")
        return refused if failed(refused) else Success(())

    @override
    async def restore_workspace(
        self, worktrees: Worktrees
    ) -> Result[Sequence[Kept], RuntimeProblem]:
        self.restored.append(worktrees)
        refused = self._answer("restore_workspace")
        return refused if failed(refused) else Success(())

    @override
    async def examine_credentials(
        self, handle: Handle, examined: Sequence[Examined]
    ) -> Result[Sequence[Diagnosis], RuntimeProblem]:
        refused = self._answer("examine_credentials")
        return refused if failed(refused) else Success(())

    def _answer(self, call: str) -> Result[None, RuntimeProblem]:
        problem = self.refuses.get(call)
        return Success(None) if problem is None else Failure(problem)
