"""The jobs of a process: who gets one, what becomes of it, and what it holds."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest

from adapters.bundles.desk import BundleDesk
from domain.bundle import Source
from domain.bundle_job import BusyReason, FailureReason, Gone, Job, JobState, NotReady, UnknownJob
from domain.bundle_manifest import Product
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.outcome import failed
from ports.evidence import EvidenceChanged
from tests.fakes.clock import ManualClock
from tests.fakes.drawer import Drawer, Paper
from tests.fakes.ids import CountingIds
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SECONDS = 10.0
OWNER, OTHER = UserId("owner"), UserId("other")
BACKEND = BundleRequest((Source.BACKEND,))
RUNTIME = BundleRequest((Source.RUNTIME,))


@dataclass
class Office:
    desk: BundleDesk
    drawer: Drawer
    clock: ManualClock
    mark: list[int]

    def ask(self, owner: UserId = OWNER, request: BundleRequest = BACKEND) -> Job:
        return self.desk.request(owner, request).unwrap().job

    async def ended(self, bundle: BundleId, owner: UserId = OWNER) -> Job:
        async with asyncio.timeout(SECONDS):
            while (job := self.desk.job(owner, bundle).unwrap()).state.active:  # noqa: ASYNC110 -- a job has no event
                await asyncio.sleep(0.001)
        return job

    async def read(self, bundle: BundleId) -> bytes:
        found = self.desk.bundle(OWNER, bundle).unwrap()
        return b"".join([chunk async for chunk in found.chunks(0, found.archive.length)])


@asynccontextmanager
async def office(*, open_drawer: bool = True) -> AsyncIterator[Office]:
    clock, mark = ManualClock(), [0]
    drawer = Drawer(clock)
    if open_drawer:
        drawer.go.set()
    desk = BundleDesk(
        dict.fromkeys(Source, drawer),
        lambda: mark[0],
        lambda: 1 << 40,
        Product("1", "", "Linux", "x"),
        clock,
        CountingIds("desk"),
        drawer,
    )
    async with desk:
        yield Office(desk, drawer, clock, mark)


async def test_a_bundle_has_the_length_and_the_crc_that_were_said() -> None:
    async with office() as at:
        job = at.ask()
        ended = await at.ended(job.id)
        archive = at.desk.bundle(OWNER, job.id).unwrap().archive
        data = await at.read(job.id)

    assert ended.state is JobState.READY
    assert (len(data), zlib.crc32(data)) == (archive.length, archive.crc32)


@requirement("bundles:busy")
async def test_an_identity_has_one_job_and_an_equal_request_gets_it() -> None:
    async with office(open_drawer=False) as at:
        job = at.ask()
        again = at.desk.request(OWNER, BACKEND).unwrap()
        refused = at.desk.request(OWNER, RUNTIME)

    assert (again.job.id, again.reused) == (job.id, True)
    assert failed(refused)
    assert refused.failure().reason is BusyReason.IDENTITY


@requirement("bundles:busy")
async def test_the_ninth_active_job_is_refused_until_one_has_ended() -> None:
    owners = [UserId(f"user-{number}") for number in range(9)]
    async with office(open_drawer=False) as at:
        jobs = [at.ask(owner) for owner in owners[:8]]
        refused = at.desk.request(owners[8], BACKEND)
        at.drawer.go.set()
        for owner, job in zip(owners, jobs, strict=False):
            await at.ended(job.id, owner)
        admitted = at.desk.request(owners[8], BACKEND)

    assert failed(refused)
    assert refused.failure().reason is BusyReason.PROCESS
    assert not failed(admitted)


@requirement("bundles:owner")
async def test_another_identity_sees_nothing_of_a_job() -> None:
    async with office() as at:
        job = at.ask()
        await at.ended(job.id)
        seen = [at.desk.job(OTHER, job.id).failure(), at.desk.bundle(OTHER, job.id).failure()]
        unknown = at.desk.job(OTHER, BundleId("0" * 32)).failure()

    assert [*seen, unknown] == [UnknownJob()] * 3


@requirement("bundles:let-go")
async def test_what_a_bundle_holds_is_let_go_when_it_has_expired() -> None:
    async with office() as at:
        job = at.ask()
        await at.ended(job.id)
        held = not at.drawer.papers[0].closed
        at.clock.advance(timedelta(minutes=15))
        seen = at.desk.job(OWNER, job.id).failure()
        closed = at.drawer.papers[0].closed

    assert (held, closed) == (True, True)
    assert seen == Gone()


@requirement("bundles:let-go")
async def test_a_reader_keeps_what_it_reads_beyond_the_expiry() -> None:
    async with office() as at:
        job = at.ask()
        await at.ended(job.id)
        found = at.desk.bundle(OWNER, job.id).unwrap()
        chunks = found.chunks(0, found.archive.length)
        data = await anext(chunks)
        at.clock.advance(timedelta(minutes=15))
        at.desk.job(OWNER, job.id)
        data += b"".join([chunk async for chunk in chunks])

    assert zlib.crc32(data) == found.archive.crc32
    assert at.drawer.papers[0].closed


@requirement("bundles:let-go")
async def test_readers_at_once_get_the_same_and_one_that_leaves_holds_nothing() -> None:
    async with office() as at:
        job = at.ask()
        await at.ended(job.id)
        found = at.desk.bundle(OWNER, job.id).unwrap()
        leaving = found.chunks(0, found.archive.length)
        await anext(leaving)
        read = await asyncio.gather(*(at.read(job.id) for _ in range(4)))
        at.clock.advance(timedelta(minutes=15))
        at.desk.job(OWNER, job.id)
        held = not at.drawer.papers[0].closed
        await leaving.aclose()
        closed = at.drawer.papers[0].closed

    assert {zlib.crc32(each) for each in read} == {found.archive.crc32}
    assert (held, closed) == (True, True)


@requirement("bundles:changed")
async def test_evidence_that_changed_ends_the_body_and_fails_the_job() -> None:
    async with office() as at:
        job = at.ask()
        await at.ended(job.id)
        at.drawer.papers[0].data = b"short"
        with pytest.raises(EvidenceChanged):
            await at.read(job.id)
        ended = at.desk.job(OWNER, job.id).unwrap()
        refused = at.desk.bundle(OWNER, job.id).failure()
        another = at.ask()

    assert (ended.state, ended.failure) == (JobState.FAILED, FailureReason.SOURCE_CHANGED)
    assert refused == NotReady(JobState.FAILED)
    assert another.id != job.id


async def test_a_job_that_breaks_has_failed_and_is_not_reused() -> None:
    async with office() as at:
        at.drawer.broken = True
        job = at.ask()
        ended = await at.ended(job.id)
        at.drawer.broken = False
        another = await at.ended(at.ask().id)

    assert (ended.state, ended.failure) == (JobState.FAILED, FailureReason.BUILD)
    assert another.state is JobState.READY


async def test_what_comes_after_the_deadline_is_discarded_and_let_go() -> None:
    async with office(open_drawer=False) as at:
        job = at.ask()
        await at.drawer.reached.wait()
        at.clock.advance(timedelta(minutes=5))
        at.drawer.go.set()
        async with asyncio.timeout(SECONDS):
            while not (at.drawer.papers and at.drawer.papers[0].closed):  # noqa: ASYNC110 -- as above
                await asyncio.sleep(0.001)
        seen = at.desk.job(OWNER, job.id).failure()

    assert seen == Gone()


@requirement("bundles:let-go")
async def test_the_end_of_the_desk_ends_its_jobs_and_lets_go_of_all() -> None:
    async with office(open_drawer=False) as at:
        at.ask(OTHER)
        at.drawer.go.set()
        finished = at.ask(OWNER)
        await at.ended(finished.id)
        at.drawer.go.clear()
        at.drawer.reached.clear()
        at.ask(UserId("third"))
        await at.drawer.reached.wait()

    assert all_closed(at.drawer.papers)


def all_closed(papers: Sequence[Paper]) -> bool:
    return bool(papers) and all(paper.closed for paper in papers)
