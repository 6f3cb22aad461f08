"""The jobs of this process: asked for here, built one after the other, and let go in time."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

import structlog
from typing_extensions import override

from adapters.bundles.held import HeldBundle
from domain import bundle_job, bundle_plan
from domain.bundle import Source, budgets
from domain.bundle_job import (
    LEASE,
    Admitted,
    Busy,
    FailureReason,
    Gone,
    Job,
    JobProblem,
    UnknownJob,
)
from domain.bundle_manifest import Manifest, Product
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.outcome import Result, Success, failed
from ports.browsers import BrowserEvidence
from ports.bundles import Bundle, Bundles
from ports.clock import Clock
from ports.evidence import Collected, EvidenceSource, Pinned
from ports.ids import Ids

__all__ = ("BundleDesk",)

ID_BYTES: Final = 16
SWEEP_SECONDS: Final = 60.0
"""Between two looks at what has expired, besides one at every request."""

log = structlog.get_logger()


class BundleDesk(Bundles):
    """Inside `async with`; leaving ends every job and lets go of every bundle.

    `mark` says how far the log of the backend is, `free_bytes` what the disk has.
    """

    def __init__(
        self,
        sources: Mapping[Source, EvidenceSource],
        mark: Callable[[], int],
        free_bytes: Callable[[], int],
        product: Product,
        clock: Clock,
        ids: Ids,
        browsers: BrowserEvidence,
    ) -> None:
        self._sources = sources
        self._browsers = browsers
        self._mark = mark
        self._free_bytes = free_bytes
        self._product = product
        self._clock = clock
        self._ids = ids
        self._jobs: dict[BundleId, Job] = {}
        self._held: dict[BundleId, HeldBundle] = {}
        self._building: dict[BundleId, asyncio.Task[None]] = {}
        self._wanted: Counter[BundleId] = Counter()
        self._sweeping: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._sweeping = self._start(self._sweep())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in list(self._tasks):
            task.cancel()
        await self._group.__aexit__(None, None, None)
        for held in self._held.values():
            held.expire()
        self._held.clear()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """All that are remembered, oldest first."""
        return tuple(self._jobs.values())

    @override
    def request(self, owner: UserId, request: BundleRequest) -> Result[Admitted, Busy]:
        self._settle()
        admitted = bundle_job.admit(
            list(self._jobs.values()),
            BundleId(self._ids.random(ID_BYTES).hex()),
            owner,
            request,
            self._clock.now(),
            log_mark=self._mark(),
            free_bytes=self._free_bytes(),
        )
        if failed(admitted):
            return admitted
        answer = admitted.unwrap()
        bundle = answer.job.id
        if not answer.reused:
            self._jobs[bundle] = answer.job
            self._building[bundle] = self._start(self._build(bundle))
            self._building[bundle].add_done_callback(lambda _: self._built(bundle))
        if bundle in self._building:
            self._wanted[bundle] += 1
        return admitted

    @override
    async def ended(self, owner: UserId, bundle: BundleId) -> None:
        building = self._building.get(bundle)
        if building is not None and self._jobs[bundle].owner == owner:
            await asyncio.wait({building})

    @override
    def give_up(self, owner: UserId, bundle: BundleId) -> None:
        building = self._building.get(bundle)
        if building is None or self._jobs[bundle].owner != owner:
            return
        self._wanted[bundle] -= 1
        if self._wanted[bundle] <= 0:
            self._fail(bundle, FailureReason.CANCELLED)
            building.cancel()

    @override
    def job(self, owner: UserId, bundle: BundleId) -> Result[Job, UnknownJob | Gone]:
        self._settle()
        return bundle_job.visible(self._jobs.get(bundle), owner, self._clock.now())

    @override
    def bundle(self, owner: UserId, bundle: BundleId) -> Result[Bundle, JobProblem]:
        self._settle()
        found = bundle_job.downloadable(self._jobs.get(bundle), owner, self._clock.now())
        if failed(found):
            return found
        return Success(self._held[bundle])

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _built(self, bundle: BundleId) -> None:
        del self._building[bundle], self._wanted[bundle]

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self._settle()

    def _settle(self) -> None:
        jobs = bundle_job.settle(self._jobs.values(), self._clock.now())
        self._jobs = {job.id: job for job in jobs}
        for bundle in [each for each in self._held if not self._holds(each)]:
            self._held.pop(bundle).expire()

    def _holds(self, bundle: BundleId) -> bool:
        job = self._jobs.get(bundle)
        return job is not None and job.state.holds_a_bundle

    async def _build(self, bundle: BundleId) -> None:
        """From an admitted job to its end; whatever happens it is not left active."""
        job = self._jobs[bundle]
        remaining = (job.build_deadline - self._clock.now()).total_seconds()
        try:
            async with asyncio.timeout(remaining):
                await self._collect_and_plan(job)
        except TimeoutError:
            self._settle()
        except asyncio.CancelledError:
            self._fail(bundle, FailureReason.STOPPED)
            raise
        except Exception:
            log.exception("bundle_failed", bundle=bundle)
            self._fail(bundle, FailureReason.BUILD)

    async def _collect_and_plan(self, job: Job) -> None:
        bundle, request = job.id, job.request
        pinned: list[Pinned] = []
        try:
            gathered = await self._gather(job, pinned)
            async with self._one_at_a_time:
                mark = self._mark()
                collected = gathered | await self._collect(job, pinned)
            manifest = self._manifest(request, collected)
            laid_out = bundle_plan.plan(manifest)
            if failed(laid_out):
                log.error("bundle_not_planned", bundle=bundle, problem=str(laid_out.failure()))
                self._fail(bundle, FailureReason.BUILD)
                return
            self._finish(bundle, manifest, mark)
            if self._holds(bundle):
                held = HeldBundle(laid_out.unwrap(), tuple(pinned), lambda: self._spoil(bundle))
                self._held[bundle] = held
                pinned.clear()
        finally:
            for each in pinned:
                each.close()

    async def _gather(self, job: Job, pinned: list[Pinned]) -> dict[Source, Collected]:
        """What the browsers bring, if they are asked; other jobs are not held up by them."""
        share = budgets(job.request.sources).get(Source.FRONTEND)
        if share is None:
            return {}
        gathered = await self._browsers.gather(job, share)
        pinned += gathered.pinned
        with suppress(KeyError):
            self._jobs[job.id] = bundle_job.collected(self._jobs[job.id]).value_or(
                self._jobs[job.id]
            )
        return {Source.FRONTEND: gathered}

    async def _collect(self, job: Job, pinned: list[Pinned]) -> dict[Source, Collected]:
        """What each other source gives, in the order of `Source`.

        What it pins is in `pinned` at once.
        """
        owner, request = job.owner, job.request
        shares = budgets(request.sources)
        collected: dict[Source, Collected] = {}
        for source in Source:
            if source in shares and source is not Source.FRONTEND:
                collected[source] = await self._sources[source].collect(
                    owner, request, shares[source]
                )
                pinned += collected[source].pinned
        return collected

    def _manifest(self, request: BundleRequest, collected: Mapping[Source, Collected]) -> Manifest:
        now = self._clock.now()
        all_of = collected.values()
        return Manifest(
            created_at=now,
            expires_at=now + LEASE,
            product=self._product,
            requested=request.sources,
            evidence=[entry for each in all_of for entry in each.evidence],
            omitted_bytes={source: each.omitted_bytes for source, each in collected.items()},
            losses=[loss for each in all_of for loss in each.losses],
            redactions={name: n for each in all_of for name, n in each.redactions.items()},
            capture=next((each.capture for each in all_of if each.capture is not None), None),
            noticed=[caveat for each in all_of for caveat in each.caveats],
        )

    def _finish(self, bundle: BundleId, manifest: Manifest, mark: int) -> None:
        job = self._jobs.get(bundle)
        if job is None:
            return
        ended = bundle_job.completed(
            job, self._clock.now(), partial=manifest.partial, log_mark=mark
        )
        if not failed(ended):
            self._jobs[bundle] = ended.unwrap()

    def _fail(self, bundle: BundleId, reason: FailureReason) -> None:
        with suppress(KeyError):
            job = self._jobs[bundle]
            self._jobs[bundle] = bundle_job.failed_job(job, reason, self._clock.now())

    def _spoil(self, bundle: BundleId) -> None:
        with suppress(KeyError):
            self._jobs[bundle] = bundle_job.spoiled(self._jobs[bundle], self._clock.now())
        self._settle()
