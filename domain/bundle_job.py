"""Bundle jobs: who may start one, which one is reused, what it becomes, and when it is forgotten.

Every function takes the jobs there are and the time, and gives what follows; nothing waits here.
A job that failed is never given to another request, and evidence that has grown old neither.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from domain.bundle import Source
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.outcome import Failure, Result, Success, failed

__all__ = (
    "CAPTURE_WINDOW",
    "FRESH",
    "JOB_LIFETIME",
    "LEASE",
    "MAX_ACTIVE",
    "MAX_FINISHED",
    "MAX_FINISHED_EACH",
    "MAX_RECORDS",
    "RECORD_KEPT",
    "RETRY_AFTER",
    "Admitted",
    "Busy",
    "BusyReason",
    "FailureReason",
    "Gone",
    "Job",
    "JobProblem",
    "JobState",
    "NotReady",
    "UnknownJob",
    "admit",
    "collected",
    "completed",
    "downloadable",
    "failed_job",
    "settle",
    "spoiled",
    "visible",
)

JOB_LIFETIME = timedelta(minutes=5)
"""From the request until the bundle must be there."""

LEASE = timedelta(minutes=15)
"""How long a bundle, or the record of its failure, is kept after it ended."""

RECORD_KEPT = timedelta(minutes=15)
"""How long an expired job is known to be gone; after that it is unknown."""

CAPTURE_WINDOW = timedelta(seconds=15)
RETRY_AFTER = timedelta(seconds=5)

FRESH = timedelta(seconds=10)
"""Evidence of this age is reused although the log has grown since."""

MAX_ACTIVE = 8
MAX_FINISHED = 64
"""Bundles held at once, each with its open files; for one more the oldest expires."""

MAX_FINISHED_EACH = 4
"""Those of one identity."""

MAX_RECORDS = 256
"""Failed and expired jobs that are remembered."""


class JobState(StrEnum):
    COLLECTING = "collecting"
    BUILDING = "building"
    READY = "ready"
    PARTIAL = "partial"
    FAILED = "failed"
    EXPIRED = "expired"

    @property
    def active(self) -> bool:
        return self in {JobState.COLLECTING, JobState.BUILDING}

    @property
    def holds_a_bundle(self) -> bool:
        return self in {JobState.READY, JobState.PARTIAL}


class FailureReason(StrEnum):
    BUILD = "build_failed"
    QUEUE_FULL = "queue_full"
    SOURCE_CHANGED = "source_changed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Job:
    """One request of one identity.

    `evidence_at` and `log_mark` say when its evidence was fixed and how many bytes the log had
    taken by then; both are None until it was.
    """

    id: BundleId
    owner: UserId
    request: BundleRequest
    state: JobState
    created_at: datetime
    build_deadline: datetime
    capture_deadline: datetime | None = None
    expires_at: datetime | None = None
    evidence_at: datetime | None = None
    log_mark: int | None = None
    failure: FailureReason | None = None

    def age(self, now: datetime) -> timedelta:
        """How old its evidence is; zero while it is being collected."""
        return timedelta() if self.evidence_at is None else now - self.evidence_at


class BusyReason(StrEnum):
    IDENTITY = "identity_busy"
    """The identity has another active job."""

    PROCESS = "saturated"
    """There are `MAX_ACTIVE` active jobs."""

    DISK = "no_space"
    """What collecting may write does not fit beside what active jobs may write."""


@dataclass(frozen=True, slots=True)
class Busy:
    reason: BusyReason
    retry_after: timedelta = RETRY_AFTER


@dataclass(frozen=True, slots=True)
class Admitted:
    """A new job, or one there was; `age` is how old its evidence is."""

    job: Job
    reused: bool
    age: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class UnknownJob:
    """There is none, or it is another's: the same answer."""


@dataclass(frozen=True, slots=True)
class Gone:
    """It has expired."""


@dataclass(frozen=True, slots=True)
class NotReady:
    """Its state does not fit the step."""

    state: JobState


JobProblem: TypeAlias = UnknownJob | Gone | NotReady


def admit(
    jobs: Sequence[Job],
    bundle: BundleId,
    owner: UserId,
    request: BundleRequest,
    now: datetime,
    *,
    log_mark: int,
    free_bytes: int,
) -> Result[Admitted, Busy]:
    """Reuse an equal job of the owner, or start one, or say to come again.

    `jobs` are settled. The newest equal one is reused that is active, fresh, or whose log has not
    grown past its mark. `bundle` names a new job. `free_bytes` is what the disk has; what active
    jobs may still write of it is counted here.
    """
    for job in reversed(jobs):
        if job.owner == owner and job.request == request and _reusable(job, now, log_mark):
            return Success(Admitted(job, reused=True, age=job.age(now)))
    active = [job for job in jobs if job.state.active]
    if any(job.owner == owner for job in active):
        return Failure(Busy(BusyReason.IDENTITY))
    if len(active) >= MAX_ACTIVE:
        return Failure(Busy(BusyReason.PROCESS))
    promised = sum(job.request.scratch_bytes for job in active)
    if free_bytes - promised < request.scratch_bytes:
        return Failure(Busy(BusyReason.DISK))
    return Success(Admitted(_new(bundle, owner, request, now), reused=False))


def collected(job: Job) -> Result[Job, NotReady]:
    """All evidence is there, or will not be: build it."""
    if job.state is not JobState.COLLECTING:
        return Failure(NotReady(job.state))
    return Success(replace(job, state=JobState.BUILDING))


def completed(job: Job, now: datetime, *, partial: bool, log_mark: int) -> Result[Job, NotReady]:
    """The bundle is there; a result that comes after the deadline is discarded."""
    settled = _observed(job, now)
    if settled.state is not JobState.BUILDING:
        return Failure(NotReady(settled.state))
    return Success(
        replace(
            settled,
            state=JobState.PARTIAL if partial else JobState.READY,
            expires_at=now + LEASE,
            evidence_at=now,
            log_mark=log_mark,
        )
    )


def failed_job(job: Job, reason: FailureReason, now: datetime) -> Job:
    """The end of an active job without a bundle; any other job stays as it is."""
    settled = _observed(job, now)
    if not settled.state.active:
        return settled
    return replace(settled, state=JobState.FAILED, failure=reason, expires_at=now + LEASE)


def spoiled(job: Job, now: datetime) -> Job:
    """A finished bundle whose evidence can no longer be read as it was has failed after all."""
    if not job.state.holds_a_bundle:
        return job
    return replace(
        job, state=JobState.FAILED, failure=FailureReason.SOURCE_CHANGED, expires_at=now + LEASE
    )


def settle(jobs: Iterable[Job], now: datetime) -> tuple[Job, ...]:
    """What the passing of time and the bounds make of the jobs, in the order they were created.

    Who owned a bundle before that is expired or missing now releases what it holds.
    """
    kept: list[Job] = []
    held: list[UserId] = []
    records = 0
    newest_first = sorted(jobs, key=lambda job: job.created_at, reverse=True)
    for job in (_observed(job, now) for job in newest_first):
        if job.state.active:
            kept.append(job)
        elif not job.state.holds_a_bundle:
            records += 1
            if records <= MAX_RECORDS and now < _ended(job) + RECORD_KEPT:
                kept.append(job)
        elif len(held) < MAX_FINISHED and held.count(job.owner) < MAX_FINISHED_EACH:
            held.append(job.owner)
            kept.append(job)
        else:
            kept.append(replace(job, state=JobState.EXPIRED, expires_at=now))
    return tuple(reversed(kept))


def visible(job: Job | None, owner: UserId, now: datetime) -> Result[Job, UnknownJob | Gone]:
    """The job for its owner."""
    if job is None or job.owner != owner:
        return Failure(UnknownJob())
    settled = _observed(job, now)
    return Failure(Gone()) if settled.state is JobState.EXPIRED else Success(settled)


def downloadable(job: Job | None, owner: UserId, now: datetime) -> Result[Job, JobProblem]:
    """The job for its owner, with a bundle to give."""
    seen = visible(job, owner, now)
    if failed(seen):
        return seen
    state = seen.unwrap().state
    return seen if state.holds_a_bundle else Failure(NotReady(state))


def _new(bundle: BundleId, owner: UserId, request: BundleRequest, now: datetime) -> Job:
    asks_browsers = Source.FRONTEND in request.sources
    return Job(
        id=bundle,
        owner=owner,
        request=request,
        state=JobState.COLLECTING if asks_browsers else JobState.BUILDING,
        created_at=now,
        build_deadline=now + JOB_LIFETIME,
        capture_deadline=now + CAPTURE_WINDOW if asks_browsers else None,
    )


def _reusable(job: Job, now: datetime, log_mark: int) -> bool:
    if job.state.active:
        return True
    return job.state.holds_a_bundle and (job.age(now) <= FRESH or job.log_mark == log_mark)


def _observed(job: Job, now: datetime) -> Job:
    """The job at a time: a deadline that is reached is passed."""
    deadline = job.build_deadline if job.state.active else job.expires_at
    if deadline is None or now < deadline:
        return job
    return replace(job, state=JobState.EXPIRED)


def _ended(job: Job) -> datetime:
    return job.build_deadline if job.expires_at is None else job.expires_at
