"""Jobs are few, short, their owner's alone, and remembered no longer than they must be."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from domain.bundle import FRONTEND_BYTES, Source
from domain.bundle_job import (
    CAPTURE_WINDOW,
    FRESH,
    JOB_LIFETIME,
    LEASE,
    MAX_ACTIVE,
    MAX_FINISHED,
    MAX_FINISHED_EACH,
    MAX_RECORDS,
    RECORD_KEPT,
    RETRY_AFTER,
    Admitted,
    Busy,
    BusyReason,
    FailureReason,
    Gone,
    Job,
    JobState,
    NotReady,
    UnknownJob,
    admit,
    collected,
    completed,
    downloadable,
    failed_job,
    settle,
    spoiled,
    visible,
)
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.outcome import Failure, Result, Success, failed
from tests.requirements import requirement

NOON = datetime(2026, 7, 29, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ANNA, BEN = UserId("anna"), UserId("ben")
BACKEND = BundleRequest((Source.BACKEND,))
FRONTEND = BundleRequest((Source.FRONTEND,))
PLENTY = 1 << 40


def asked(
    jobs: list[Job],
    owner: UserId = ANNA,
    request: BundleRequest = BACKEND,
    now: datetime = NOON,
    *,
    log_mark: int = 100,
    free_bytes: int = PLENTY,
) -> Result[Admitted, Busy]:
    name = BundleId(f"{len(jobs):032x}")
    return admit(jobs, name, owner, request, now, log_mark=log_mark, free_bytes=free_bytes)


def started(owner: UserId = ANNA, request: BundleRequest = BACKEND, now: datetime = NOON) -> Job:
    return asked([], owner, request, now).unwrap().job


def finished(
    owner: UserId = ANNA,
    request: BundleRequest = BACKEND,
    now: datetime = NOON,
    *,
    partial: bool = False,
) -> Job:
    job = replace(started(owner, request, now), state=JobState.BUILDING)
    return completed(job, now, partial=partial, log_mark=100).unwrap()


def users(count: int) -> list[UserId]:
    return [UserId(f"user-{number}") for number in range(count)]


@requirement("bundle:job:states")
def test_a_job_without_browsers_is_built_at_once() -> None:
    job = started()

    assert job.state is JobState.BUILDING
    assert job.build_deadline == NOON + JOB_LIFETIME
    assert (job.capture_deadline, job.expires_at) == (None, None)


@requirement("bundle:job:states")
def test_a_job_with_browsers_collects_first() -> None:
    job = started(request=FRONTEND)
    assert job.state is JobState.COLLECTING
    assert job.capture_deadline == NOON + CAPTURE_WINDOW

    built = collected(job).unwrap()

    assert built.state is JobState.BUILDING
    assert collected(built) == Failure(NotReady(JobState.BUILDING))


@requirement("bundle:job:states")
@pytest.mark.parametrize(("partial", "state"), [(True, JobState.PARTIAL), (False, JobState.READY)])
def test_a_built_job_has_a_bundle_for_a_while(partial: bool, state: JobState) -> None:
    built = completed(started(), NOON + SECOND, partial=partial, log_mark=7).unwrap()

    assert (built.state, built.log_mark) == (state, 7)
    assert (built.evidence_at, built.expires_at) == (NOON + SECOND, NOON + SECOND + LEASE)


@requirement("bundle:job:states")
@pytest.mark.parametrize(
    ("job", "at", "state"),
    [
        (started(request=FRONTEND), NOON, JobState.COLLECTING),
        (started(), NOON + JOB_LIFETIME, JobState.EXPIRED),
        (finished(), NOON, JobState.READY),
        (failed_job(started(), FailureReason.BUILD, NOON), NOON, JobState.FAILED),
    ],
)
def test_a_result_that_comes_too_late_is_discarded(job: Job, at: datetime, state: JobState) -> None:
    assert completed(job, at, partial=False, log_mark=7) == Failure(NotReady(state))


@requirement("bundle:job:coalesce")
@pytest.mark.parametrize("request_", [BACKEND, FRONTEND])
def test_an_equal_request_gets_the_active_job(request_: BundleRequest) -> None:
    job = started(request=request_)
    later = NOON + timedelta(minutes=4)

    assert asked([job], request=request_, now=later, log_mark=200) == Success(
        Admitted(job, reused=True)
    )


@requirement("bundle:job:coalesce")
def test_another_identity_gets_a_job_of_its_own() -> None:
    admitted = asked([started()], BEN).unwrap()

    assert (admitted.reused, admitted.job.owner) == (False, BEN)


@requirement("bundle:job:fresh")
@pytest.mark.parametrize(
    ("age", "log_mark", "reused"),
    [
        (FRESH, 200, True),
        (FRESH + SECOND, 200, False),
        (FRESH + SECOND, 100, True),
        (timedelta(minutes=14), 100, True),
    ],
)
@pytest.mark.parametrize("partial", [True, False])
def test_old_evidence_is_reused_only_while_the_log_has_not_grown(
    age: timedelta, log_mark: int, reused: bool, partial: bool
) -> None:
    job = finished(partial=partial)
    admitted = asked([job], now=NOON + age, log_mark=log_mark).unwrap()

    assert admitted.reused is reused
    assert admitted.age == (age if reused else timedelta())
    assert (admitted.job == job) is reused


@requirement("bundle:job:failed")
@pytest.mark.parametrize("reason", FailureReason)
def test_a_failed_job_frees_its_place_and_is_not_reused(reason: FailureReason) -> None:
    job = failed_job(started(request=FRONTEND), reason, NOON + SECOND)

    assert (job.state, job.failure) == (JobState.FAILED, reason)
    assert job.expires_at == NOON + SECOND + LEASE
    assert not asked([job], request=FRONTEND, now=NOON + SECOND).unwrap().reused


@requirement("bundle:job:failed")
def test_what_has_ended_cannot_fail() -> None:
    late = NOON + JOB_LIFETIME

    assert failed_job(finished(), FailureReason.BUILD, NOON) == finished()
    assert failed_job(started(), FailureReason.BUILD, late).state is JobState.EXPIRED


@requirement("bundle:job:one")
@pytest.mark.parametrize("request_", [FRONTEND, BundleRequest((Source.BACKEND, Source.FRONTEND))])
def test_an_identity_has_one_active_job(request_: BundleRequest) -> None:
    assert asked([started()], request=request_) == Failure(Busy(BusyReason.IDENTITY, RETRY_AFTER))
    assert timedelta(seconds=5) == RETRY_AFTER


@requirement("bundle:job:eight")
def test_the_process_has_as_many_active_jobs_as_the_bound() -> None:
    jobs = [started(user) for user in users(MAX_ACTIVE)]

    assert not failed(asked(jobs[:-1], BEN))
    assert asked(jobs, BEN) == Failure(Busy(BusyReason.PROCESS))
    assert not failed(asked([*jobs[1:], finished(UserId("user-0"))], BEN))


@requirement("bundle:job:disk")
def test_what_active_jobs_may_write_is_reserved() -> None:
    active = started(BEN, FRONTEND)

    assert not failed(asked([], request=FRONTEND, free_bytes=FRONTEND_BYTES))
    assert asked([], request=FRONTEND, free_bytes=FRONTEND_BYTES - 1) == Failure(
        Busy(BusyReason.DISK)
    )
    assert not failed(asked([active], request=FRONTEND, free_bytes=2 * FRONTEND_BYTES))
    assert asked([active], request=FRONTEND, free_bytes=2 * FRONTEND_BYTES - 1) == Failure(
        Busy(BusyReason.DISK)
    )
    assert not failed(asked([], free_bytes=0))


@requirement("bundle:job:expiry")
def test_a_job_that_reaches_its_deadline_expires_and_frees_its_place() -> None:
    job = started()

    assert settle([job], NOON + JOB_LIFETIME - SECOND) == (job,)
    (expired,) = settle([job], NOON + JOB_LIFETIME)
    assert expired.state is JobState.EXPIRED
    assert not failed(asked([expired], request=FRONTEND, now=NOON + JOB_LIFETIME))


@requirement("bundle:job:expiry")
@pytest.mark.parametrize("job", [finished(), failed_job(started(), FailureReason.BUILD, NOON)])
def test_an_ended_job_expires_is_gone_and_then_unknown(job: Job) -> None:
    end = NOON + LEASE

    assert settle([job], end - SECOND) == (job,)
    (expired,) = settle([job], end)
    assert expired.state is JobState.EXPIRED
    assert visible(expired, ANNA, end) == Failure(Gone())
    assert settle([expired], end + RECORD_KEPT - SECOND) == (expired,)
    assert settle([expired], end + RECORD_KEPT) == ()


@requirement("bundle:job:owner")
def test_a_job_is_its_owners_alone() -> None:
    job = finished()

    assert visible(job, ANNA, NOON) == Success(job)
    assert visible(job, BEN, NOON) == visible(None, BEN, NOON) == Failure(UnknownJob())
    assert downloadable(job, BEN, NOON) == downloadable(None, BEN, NOON) == Failure(UnknownJob())
    assert visible(job, BEN, NOON + LEASE) == Failure(UnknownJob())


@requirement("bundle:job:expiry")
def test_a_bundle_is_given_until_its_last_second() -> None:
    job = finished()

    assert downloadable(job, ANNA, NOON + LEASE - SECOND) == Success(job)
    assert downloadable(job, ANNA, NOON + LEASE) == Failure(Gone())


@requirement("bundle:job:states")
@pytest.mark.parametrize(
    "job",
    [started(), started(request=FRONTEND), failed_job(started(), FailureReason.BUILD, NOON)],
)
def test_a_job_without_a_bundle_gives_none(job: Job) -> None:
    assert downloadable(job, ANNA, NOON) == Failure(NotReady(job.state))


@requirement("bundle:job:memory")
def test_an_identity_holds_as_many_bundles_as_the_bound_and_the_oldest_expires() -> None:
    jobs = [finished(now=NOON + number * SECOND) for number in range(MAX_FINISHED_EACH + 1)]
    now = NOON + timedelta(minutes=1)

    assert settle(jobs[1:], now) == tuple(jobs[1:])
    oldest, *others = settle(jobs, now)
    assert (oldest.state, oldest.expires_at) == (JobState.EXPIRED, now)
    assert others == jobs[1:]


@requirement("bundle:job:memory")
def test_the_process_holds_as_many_bundles_as_the_bound() -> None:
    jobs = [
        finished(user, now=NOON + number * SECOND)
        for number, user in enumerate(users(MAX_FINISHED + 1))
    ]
    now = NOON + timedelta(minutes=2)

    assert settle(jobs[1:], now) == tuple(jobs[1:])
    assert [job.state for job in settle(jobs, now)].count(JobState.EXPIRED) == 1
    assert settle(jobs, now)[0].state is JobState.EXPIRED


@requirement("bundle:job:memory")
def test_as_many_ended_jobs_as_the_bound_are_remembered() -> None:
    jobs = [
        failed_job(
            started(now=NOON + number * timedelta(milliseconds=1)), FailureReason.BUILD, NOON
        )
        for number in range(MAX_RECORDS + 1)
    ]

    assert settle(jobs, NOON) == tuple(jobs[1:])
    assert settle(jobs[1:], NOON) == tuple(jobs[1:])


@requirement("bundle:job:memory")
def test_hundreds_of_cycles_leave_a_bounded_memory() -> None:
    jobs: list[Job] = []
    for number in range(500):
        now = NOON + number * (FRESH + SECOND)
        jobs = list(settle(jobs, now))
        job = asked(jobs, now=now, log_mark=number).unwrap().job
        jobs.append(completed(job, now, partial=False, log_mark=number).unwrap())

    assert len([job for job in jobs if job.state.holds_a_bundle]) == MAX_FINISHED_EACH + 1
    assert len(jobs) <= MAX_RECORDS + MAX_FINISHED_EACH + 1


@requirement("bundle:job:fresh")
def test_of_several_equal_bundles_the_newest_is_reused() -> None:
    older, newer = finished(), finished(now=NOON + SECOND)
    admitted = asked([older, newer], now=NOON + 2 * SECOND).unwrap()

    assert admitted.job == newer


@requirement("bundle:job:coalesce")
def test_fifty_equal_requests_make_one_job() -> None:
    jobs: list[Job] = []
    answers = []
    for _ in range(50):
        admitted = asked(jobs).unwrap()
        answers.append(admitted)
        jobs = list(settle([*jobs, *([] if admitted.reused else [admitted.job])], NOON))

    assert len(jobs) == 1
    assert {answer.job.id for answer in answers} == {jobs[0].id}
    assert [answer.reused for answer in answers] == [False] + [True] * 49


@requirement("bundle:job:failed")
def test_a_bundle_whose_evidence_changed_has_failed_after_all() -> None:
    job = spoiled(finished(), NOON + SECOND)

    assert (job.state, job.failure) == (JobState.FAILED, FailureReason.SOURCE_CHANGED)
    assert job.expires_at == NOON + SECOND + LEASE


@requirement("bundle:job:failed")
def test_only_a_bundle_that_is_there_can_be_spoiled() -> None:
    active = started()
    gone = replace(finished(), state=JobState.EXPIRED)

    assert [spoiled(job, NOON) for job in (active, gone)] == [active, gone]
