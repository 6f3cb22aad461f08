"""Bundles in the workspaces of this agentctl: staged, committed, and removed in time.

Bytes go from the connection into a file that nobody can see, at most a mebibyte of them in memory.
What is put into a workspace is recorded before, and goes with its execution, its task, or the day.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final, ParamSpec, Protocol, Self, TypeVar

import structlog

from adapters.agentctl import wire
from adapters.agentctl.server import bundle_folder
from adapters.agentctl.server.bundle_folder import Folder, StageFile, UnsafeError
from adapters.agentctl.server.bundle_records import Record, Records
from adapters.agentctl.server.bundle_refusals import (
    GONE,
    NO_STAGE,
    STALLED,
    TOO_LARGE,
    UNSAFE,
    torn,
    unwritable,
)
from domain.bundle_delivery import DeliveryBounds, Flaw, Torn, arrived
from domain.bundle_path import RETENTION, BundleId, file_name, segments, stage_name
from domain.execution import Handle
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import RuntimeProblem

__all__ = ("Announced", "BundleShelf", "Owner", "Shelving")

CHUNK: Final = 1024 * 1024
SWEEP_SECONDS: Final = 3600.0
STAGE_BYTES: Final = 8

Value = TypeVar("Value")
Parameters = ParamSpec("Parameters")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Announced:
    """What a client says that it is about to send."""

    bundle: BundleId
    length: int
    crc32: int


@dataclass(frozen=True, slots=True)
class Shelving:
    """Whose shelf it is: pid and start time; `lives` tells whether such a process does."""

    directory: Path
    identity: tuple[int, int]
    lives: Callable[[int, int], bool]
    now: Callable[[], datetime]
    random: Callable[[int], bytes]
    bounds: DeliveryBounds = field(default_factory=DeliveryBounds)
    unnamed: bool = True


class Owner(Protocol):
    """The instance that a bundle is for."""

    handle: Handle

    @property
    def alive(self) -> bool: ...

    @property
    def workspace(self) -> Path | None:
        """The directory that its agent works in, from its start on."""
        ...


@dataclass(slots=True, eq=False)
class _Stage:
    handle: Handle
    record: Record
    folder: Folder
    file: StageFile
    receiving: "asyncio.Task[Result[None, RuntimeProblem]] | None" = None
    timer: asyncio.TimerHandle | None = None


class BundleShelf:
    """Inside `async with`; leaving takes every stage back."""

    def __init__(self, shelving: Shelving) -> None:
        self._to = shelving
        self._records = Records(shelving.directory)
        self._known: list[Record] = []
        self._appeared: set[str] = set()
        self._stages: dict[str, _Stage] = {}
        self._folders = asyncio.Lock()
        self._group = asyncio.TaskGroup()
        self._sweeping: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._known = list(self._records.left(self._to.lives))
        self._appeared.update(each.stage for each in self._known)
        await self._remove(self._known)
        self._sweeping = self._group.create_task(self._sweep())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
        for token in list(self._stages):
            await self._take_back(token)
        await self._group.__aexit__(None, None, None)

    @property
    def staged(self) -> int:
        """How many stages there are, finished or not."""
        return len(self._stages)

    async def stage(
        self, owner: Owner, announced: Announced, pieces: AsyncIterator[bytes]
    ) -> Result[wire.Staged, RuntimeProblem]:
        """Take what is sent; unless all of it came as announced nothing of it is left."""
        if announced.length > self._to.bounds.archive:
            return Failure(TOO_LARGE)
        opened = await self._open(owner, announced)
        if failed(opened):
            return opened
        token, stage = opened.unwrap()
        stage.receiving = self._group.create_task(self._receive(stage, announced, pieces))
        taken: Result[None, RuntimeProblem] = Failure(GONE)
        try:
            await asyncio.wait({stage.receiving})
            if not stage.receiving.cancelled() and owner.alive:
                taken = stage.receiving.result()
        finally:
            if failed(taken):
                await self._take_back(token)
        if failed(taken):
            return taken
        self._expect_commit(token, stage)
        return Success(wire.Staged(token, stage.file.length))

    async def commit(
        self, owner: Owner, bundle: BundleId, token: str
    ) -> Result[wire.Delivered, RuntimeProblem]:
        """Have it appear; whatever comes of it, the stage is gone."""
        stage = self._stage(owner.handle, bundle, token)
        if stage is None:
            return Failure(NO_STAGE)
        del self._stages[token]
        if stage.timer is not None:
            stage.timer.cancel()
        published: Result[None, RuntimeProblem] = Failure(GONE)
        try:
            async with self._folders:
                if owner.alive and stage.record in self._known:
                    published = await _whole(self._publish, stage)
        finally:
            await self._close(stage, keep_record=not failed(published))
        if failed(published):
            return published
        path = segments(bundle)
        absolute = Path(stage.record.workspace).joinpath(*path)
        return Success(wire.Delivered("/".join(path), str(absolute)))

    async def discard(self, handle: Handle, bundle: BundleId, token: str) -> None:
        if self._stage(handle, bundle, token) is not None:
            await self._take_back(token)

    async def end(self, handle: Handle) -> None:
        """The execution is over: its transfers, its stages and its bundles are."""
        for token in [name for name, each in self._stages.items() if each.handle == handle]:
            await self._take_back(token)
        await self._remove([each for each in self._known if each.execution == handle.execution])

    async def clear(self, task: str) -> None:
        """Remove all bundles of a task that nobody works on."""
        await self._remove([each for each in self._known if each.task == task])

    def _stage(self, handle: Handle, bundle: BundleId, token: str) -> _Stage | None:
        """A stage that has all its bytes, for whom it belongs to."""
        stage = self._stages.get(token)
        if stage is None or stage.handle != handle or stage.record.bundle != bundle:
            return None
        return stage if stage.timer is not None else None

    async def _open(
        self, owner: Owner, announced: Announced
    ) -> Result[tuple[str, _Stage], RuntimeProblem]:
        token = self._to.random(STAGE_BYTES).hex()
        record = Record(
            execution=owner.handle.execution,
            task=owner.handle.task,
            workspace=str(owner.workspace),
            bundle=announced.bundle,
            stage=token,
            at=self._to.now(),
            agentctl=self._to.identity,
        )
        self._known.append(record)
        opened: list[_Stage] = []
        try:
            async with self._folders:
                await _whole(self._make, owner.handle, record, announced.length, opened)
            self._stages[token] = opened.pop()
        except UnsafeError:
            return Failure(UNSAFE)
        except OSError as error:
            return Failure(unwritable(error))
        finally:
            if token not in self._stages:
                for stage in opened:
                    await _whole(_let_go, stage)
                await self._remove([record])
        return Success((token, self._stages[token]))

    def _make(self, handle: Handle, record: Record, length: int, opened: list[_Stage]) -> None:
        self._records.put(record)
        folder = bundle_folder.made(Path(record.workspace), unnamed=self._to.unnamed)
        try:
            folder.sweep(self._to.now())
            folder.see_room(length)
            file = folder.new_file(stage_name(record.stage))
        except BaseException:
            folder.close()
            raise
        opened.append(_Stage(handle, record, folder, file))

    async def _receive(
        self, stage: _Stage, announced: Announced, pieces: AsyncIterator[bytes]
    ) -> Result[None, RuntimeProblem]:
        loop, idle = asyncio.get_running_loop(), self._to.bounds.idle
        held: list[bytes] = []
        waiting = received = 0
        try:
            async with asyncio.timeout(idle) as patience:
                async for piece in pieces:
                    patience.reschedule(loop.time() + idle)
                    held.append(piece)
                    received += len(piece)
                    waiting += len(piece)
                    if received > announced.length:
                        return Failure(torn(Torn(Flaw.LENGTH)))
                    if waiting >= CHUNK:
                        await _whole(stage.file.write, b"".join(held))
                        held.clear()
                        waiting = 0
                await _whole(stage.file.write, b"".join(held))
        except TimeoutError:
            return Failure(STALLED)
        except ConnectionError:
            return Failure(GONE)
        except OSError as error:
            return Failure(unwritable(error))
        whole = arrived(
            announced=(announced.length, announced.crc32),
            found=(stage.file.length, stage.file.crc32),
        )
        return whole.alt(torn)

    def _publish(self, stage: _Stage) -> Result[None, RuntimeProblem]:
        if not stage.folder.is_at(Path(stage.record.workspace)):
            return Failure(UNSAFE)
        try:
            stage.folder.publish(stage.file, file_name(BundleId(stage.record.bundle)))
        except UnsafeError:
            return Failure(UNSAFE)
        except OSError as error:
            return Failure(unwritable(error))
        self._appeared.add(stage.record.stage)
        return Success(None)

    def _expect_commit(self, token: str, stage: _Stage) -> None:
        def late() -> None:
            self._group.create_task(self._take_back(token))

        loop = asyncio.get_running_loop()
        stage.timer = loop.call_later(self._to.bounds.uncommitted, late)

    async def _take_back(self, token: str) -> None:
        stage = self._stages.pop(token, None)
        if stage is None:
            return
        if stage.timer is not None:
            stage.timer.cancel()
        if stage.receiving is not None:
            stage.receiving.cancel()
            await asyncio.wait({stage.receiving})
        await self._close(stage, keep_record=False)

    async def _close(self, stage: _Stage, *, keep_record: bool) -> None:
        """Both handles, and the name of the stage where it has one."""
        async with self._folders:
            await _whole(_let_go, stage)
        if not keep_record:
            await self._remove([stage.record])

    async def _remove(self, records: Iterable[Record]) -> None:
        """Take what they stand for out of its workspace, unless another one needs it."""
        for record in list(records):
            if record not in self._known:
                continue
            self._known.remove(record)
            beside = [each for each in self._known if each.workspace == record.workspace]
            names = {stage_name(record.stage)}
            needed = any(each.bundle == record.bundle for each in beside)
            if record.stage in self._appeared and not needed:
                names.add(file_name(BundleId(record.bundle)))
            async with self._folders:
                workspace = Path(record.workspace)
                await _whole(bundle_folder.clear, workspace, names, keep_folder=bool(beside))
                await _whole(self._records.drop, record)
            self._appeared.discard(record.stage)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            await self.sweep()

    async def sweep(self) -> None:
        """Remove what has lain for a day."""
        now = self._to.now()
        await self._remove([each for each in self._known if now - each.at >= RETENTION])


def _let_go(stage: _Stage) -> None:
    stage.folder.drop(stage.file)
    stage.folder.close()


async def _whole(
    call: Callable[Parameters, Value], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Value:
    """Call it in a thread; a caller that is cancelled has waited until it returned."""
    working = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise
