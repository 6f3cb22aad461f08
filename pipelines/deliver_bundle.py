"""Deliver a bundle to the agent that asks for it: into its own workspace, as its task's owner.

Who asks is known from the connection. Nothing is looked up before the task and the session have
been found to belong together and to the owner, and nothing appears in the workspace of another
execution than the one that asked: it is looked at again, with the session held, before the commit.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

from domain.access import NotFound
from domain.bundle_delivery import CALL_SECONDS, DeliveryBounds, sources_for
from domain.bundle_job import Busy, Job, JobProblem, JobState, NotReady
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest, InvalidRequest
from domain.execution import ExecutionState, Handle
from domain.identity import UserId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Execution, Principal
from domain.session import LIVE
from domain.task_owner import NoOwner
from pipelines.session_fences import SessionFences
from ports.bundle_sink import BundleSink, Consignment, Delivered, StageToken
from ports.bundles import Bundle, Bundles
from ports.clock import Clock
from ports.evidence import EvidenceChanged
from ports.identity_scope import IdentityScope
from ports.runtime import RuntimeProblem
from ports.store import Store

__all__ = (
    "BundleDelivery",
    "DeliverBundle",
    "DeliverProblem",
    "ExecutionChanged",
    "Progress",
    "Step",
    "TooLate",
    "WrongSession",
)

PROGRESS_SECONDS: Final = 15.0
"""Between two words about a delivery in which nothing else happens."""


@dataclass(frozen=True, slots=True)
class WrongSession:
    """The session does not belong to the task."""


@dataclass(frozen=True, slots=True)
class ExecutionChanged:
    """The execution that asked is not the session's any more, or has ended."""


@dataclass(frozen=True, slots=True)
class TooLate:
    """It was not there within its time."""


DeliverProblem: TypeAlias = (
    NotFound
    | NoOwner
    | WrongSession
    | InvalidRequest
    | Busy
    | JobProblem
    | ExecutionChanged
    | RuntimeProblem
    | TooLate
)


class Step(StrEnum):
    COLLECTING = "collecting"
    BUILDING = "building"
    TRANSFERRING = "transferring"


class Progress(Protocol):
    """Told at each step, and at least every `PROGRESS_SECONDS`. Does not raise."""

    async def __call__(self, step: Step, done: int, total: int) -> None:
        """`done` of `total` bytes; both are 0 until the transfer."""
        ...


@dataclass(frozen=True, slots=True)
class BundleDelivery:
    """What lies in the workspace now. `manifest` is that of the archive, as bytes of JSON."""

    bundle: BundleId
    delivered: Delivered
    length: int
    state: JobState
    age: timedelta
    manifest: bytes


@dataclass(slots=True)
class _Way:
    """How far a delivery has come."""

    step: Step
    done: int = 0
    total: int = 0
    turned: asyncio.Event = field(default_factory=asyncio.Event)

    def turn(self, step: Step, total: int = 0) -> None:
        self.step, self.done, self.total = step, 0, total
        self.turned.set()


@dataclass(frozen=True, slots=True)
class DeliverBundle:
    scope: IdentityScope
    store: Store
    bundles: Bundles
    sink: BundleSink
    fences: SessionFences
    clock: Clock
    bounds: DeliveryBounds = field(default_factory=DeliveryBounds)
    seconds: float = CALL_SECONDS
    progress_seconds: float = PROGRESS_SECONDS

    async def __call__(
        self, principal: Principal, source: str, progress: Progress
    ) -> Result[BundleDelivery, DeliverProblem]:
        """Have it collected, wait for it, bring it. Cancelled, it leaves nothing."""
        request = sources_for(source)
        if failed(request):
            return request
        if not isinstance(principal, Execution):
            return Failure(NotFound("session"))
        owner = await self._owner(principal)
        if failed(owner):
            return owner
        try:
            async with asyncio.timeout(self.seconds):
                return await self._deliver(owner.unwrap(), principal, request.unwrap(), progress)
        except TimeoutError:
            return Failure(TooLate())

    async def _owner(
        self, principal: Execution
    ) -> Result[UserId, NoOwner | NotFound | WrongSession]:
        owned = await self.scope.owner(principal.task)
        if failed(owned):
            return owned
        if await self.scope.sees(owned.unwrap(), principal.task) is None:
            return Failure(NotFound("task"))
        async with self.store.read() as state:
            session = await state.session(principal.session)
        if session is None or session.task != principal.task:
            return Failure(WrongSession())
        return Success(owned.unwrap().id)

    async def _deliver(
        self, owner: UserId, principal: Execution, request: BundleRequest, progress: Progress
    ) -> Result[BundleDelivery, DeliverProblem]:
        admitted = self.bundles.request(owner, request)
        if failed(admitted):
            return admitted
        job = admitted.unwrap().job
        handle = Handle(principal.id, principal.task, principal.session)
        way = _Way(Step.COLLECTING if job.state is JobState.COLLECTING else Step.BUILDING)
        try:
            if not await self._is_current(handle):
                return Failure(ExecutionChanged())
            async with self._told(way, progress):
                await self.bundles.ended(owner, job.id)
                found = self.bundles.bundle(owner, job.id)
                if failed(found):
                    return found
                return await self._bring(owner, handle, job.id, found.unwrap(), way)
        finally:
            self.bundles.give_up(owner, job.id)

    async def _bring(
        self, owner: UserId, handle: Handle, bundle: BundleId, found: Bundle, way: _Way
    ) -> Result[BundleDelivery, DeliverProblem]:
        archive = found.archive
        way.turn(Step.TRANSFERRING, archive.length)

        async def chunks() -> AsyncGenerator[bytes, None]:
            way.done = 0
            async with aclosing(found.chunks(0, archive.length)) as parts:
                async for part in parts:
                    yield part
                    way.done += len(part)

        consignment = Consignment(bundle, archive.length, archive.crc32, chunks)
        try:
            staged = await self.sink.stage(handle, consignment)
        except EvidenceChanged:
            return Failure(NotReady(JobState.FAILED))
        if failed(staged):
            return staged
        delivered = await self._commit(handle, bundle, staged.unwrap())
        if failed(delivered):
            return delivered
        seen = self.bundles.job(owner, bundle)
        if failed(seen):
            return seen
        return Success(self._told_of(seen.unwrap(), delivered.unwrap(), found))

    def _told_of(self, job: Job, delivered: Delivered, found: Bundle) -> BundleDelivery:
        age = job.age(self.clock.now())
        length = found.archive.length
        return BundleDelivery(job.id, delivered, length, job.state, age, found.manifest)

    async def _commit(
        self, handle: Handle, bundle: BundleId, stage: StageToken
    ) -> Result[Delivered, ExecutionChanged | RuntimeProblem]:
        """Let it appear, if the execution is still the one; else take it back."""
        committed: Result[Delivered, ExecutionChanged | RuntimeProblem] = Failure(
            ExecutionChanged()
        )
        try:
            async with self.fences.hold(handle.session), asyncio.timeout(self.bounds.fence):
                if await self._is_current(handle):
                    committed = await self.sink.commit(handle, bundle, stage)
        finally:
            if failed(committed):
                await self.sink.discard(handle, bundle, stage)
        return committed

    async def _is_current(self, handle: Handle) -> bool:
        """Whether it is the execution of its session, and has not ended."""
        async with self.store.read() as state:
            execution = await state.execution(handle.execution)
            session = await state.session(handle.session)
        return (
            execution is not None
            and execution.handle == handle
            and execution.state is not ExecutionState.ENDED
            and session is not None
            and session.execution == handle.execution
            and session.state in LIVE
        )

    @asynccontextmanager
    async def _told(self, way: _Way, progress: Progress) -> AsyncIterator[None]:
        """Say how far it has come, for as long as this lasts."""
        telling = asyncio.create_task(self._tell(way, progress))
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.wait({telling})

    async def _tell(self, way: _Way, progress: Progress) -> None:
        while True:
            way.turned.clear()
            await progress(way.step, way.done, way.total)
            turning = asyncio.ensure_future(way.turned.wait())
            try:
                await asyncio.wait({turning}, timeout=self.progress_seconds)
            finally:
                turning.cancel()
                await asyncio.wait({turning})
