"""A bundle for the agent that asks: who may, in which order, and what appears where."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from adapters.bundles.desk import BundleDesk
from domain.access import NotFound
from domain.bundle import Source
from domain.bundle_job import Busy, FailureReason, Job, JobState
from domain.bundle_manifest import Product
from domain.bundle_request import BundleRequest, InvalidRequest
from domain.execution import ExecutionState
from domain.identity import SessionId, TaskId, UserId
from domain.outcome import Failure, Result, Success
from domain.principal import Execution, User
from domain.session import Session
from domain.task import Task
from domain.task_owner import NoOwner
from pipelines.deliver_bundle import (
    BundleDelivery,
    DeliverBundle,
    DeliverProblem,
    ExecutionChanged,
    Step,
    TooLate,
    WrongSession,
)
from pipelines.session_fences import SessionFences
from ports.identity_scope import IdentityScope
from ports.runtime import RuntimeCode
from tests.eventually import eventually
from tests.fakes.bundle_sink import FakeBundleSink
from tests.fakes.drawer import Drawer
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENTS_OWNER = UserId("owner")
SECONDS = 20.0


@dataclass
class Scope(IdentityScope):
    """One owner, who may be disabled, and sees all but what is hidden."""

    plane: Plane
    disabled: bool = False
    hidden: set[TaskId] = field(default_factory=set)

    @override
    async def owner(self, task: TaskId) -> Result[User, NoOwner]:
        return Failure(NoOwner()) if self.disabled else Success(User(AGENTS_OWNER))

    @override
    async def sees(self, owner: User, task: TaskId) -> Task | None:
        if task in self.hidden:
            return None
        async with self.plane.store.read() as state:
            return await state.task(task)


class Recording:
    """Passes on what is asked of another, and remembers the names."""

    def __init__(self, behind: object, calls: list[str]) -> None:
        self._behind = behind
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        self._calls.append(name)
        return getattr(self._behind, name)


class RecordingStore:
    """A store of which every question is remembered."""

    def __init__(self, plane: Plane, calls: list[str]) -> None:
        self._plane = plane
        self._calls = calls

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Recording]:
        async with self._plane.store.read() as state:
            yield Recording(state, self._calls)


@dataclass
class Counter:
    """Where agents ask for bundles."""

    plane: Plane
    desk: BundleDesk
    drawer: Drawer
    sink: FakeBundleSink
    scope: Scope
    deliver: DeliverBundle
    asked_of_bundles: list[str]
    asked_of_store: list[str]
    told: list[tuple[Step, int, int]] = field(default_factory=list)

    async def ask(
        self, session: Session, source: str = "backend"
    ) -> Result[BundleDelivery, DeliverProblem]:
        async with asyncio.timeout(SECONDS):
            return await self.deliver(principal(session), source, self.progress)

    async def progress(self, step: Step, done: int, total: int) -> None:
        self.told.append((step, done, total))

    async def replaced(self, session: Session) -> Session:
        """The session after its agent was stopped and another one was started."""
        await self.plane.stopped(await self.plane.session(session.id))
        return (await self.plane.resumed(session.id)).unwrap()


def principal(session: Session, /, **changes: Any) -> Execution:
    assert session.execution is not None
    return replace(Execution(session.execution, session.task, session.id), **changes)


@pytest.fixture
async def counter(tmp_path: Path) -> AsyncIterator[Counter]:
    async with plane_over(tmp_path) as plane:
        clock, mark = plane.clock, [0]
        drawer, sink, scope = Drawer(clock), FakeBundleSink(), Scope(plane)
        drawer.go.set()
        desk = BundleDesk(
            dict.fromkeys(Source, drawer),
            lambda: mark[0],
            lambda: 1 << 40,
            Product("1", "", "Linux", "x"),
            clock,
            plane.ids,
            drawer,
        )
        bundles: list[str] = []
        questions: list[str] = []
        deliver = DeliverBundle(
            scope=scope,
            store=RecordingStore(plane, questions),  # type: ignore[arg-type]  # only ever read
            bundles=Recording(desk, bundles),
            sink=sink,
            fences=plane.container.fences(),
            clock=clock,
            progress_seconds=0.01,
        )
        async with desk:
            yield Counter(plane, desk, drawer, sink, scope, deliver, bundles, questions)


async def running(counter: Counter) -> Session:
    session = await counter.plane.running()
    counter.sink.alive.add(handle(session))
    return session


@requirement("bundle:tool:delivers")
async def test_an_agent_gets_a_bundle_of_its_owner_into_its_own_workspace(
    counter: Counter,
) -> None:
    session = await running(counter)

    delivery = (await counter.ask(session)).unwrap()

    assert counter.desk.job(AGENTS_OWNER, delivery.bundle).unwrap().state is JobState.READY
    assert list(counter.sink.placed) == [(handle(session), delivery.bundle)]
    assert len(counter.sink.placed[handle(session), delivery.bundle]) == delivery.length
    assert delivery.delivered.path == f".kandev/diagnostics/{delivery.bundle}.zip"
    assert (delivery.state, delivery.age) == (JobState.READY, timedelta())
    assert counter.told[0][0] is Step.BUILDING


Spoil = Callable[[Counter, Session], tuple[Execution, str]]


def foreign(counter: Counter, session: Session) -> tuple[Execution, str]:
    counter.scope.hidden.add(session.task)
    return principal(session), "backend"


def disabled(counter: Counter, session: Session) -> tuple[Execution, str]:
    counter.scope.disabled = True
    return principal(session), "backend"


def unknown_session(counter: Counter, session: Session) -> tuple[Execution, str]:
    return principal(session, session=SessionId("another")), "backend"


def unknown_task(counter: Counter, session: Session) -> tuple[Execution, str]:
    return principal(session, task=TaskId("another")), "backend"


def runtime(counter: Counter, session: Session) -> tuple[Execution, str]:
    return principal(session), "runtime"


def nothing(counter: Counter, session: Session) -> tuple[Execution, str]:
    return principal(session), ""


@requirement("bundle:tool:order")
@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (foreign, NotFound),
        (disabled, NoOwner),
        (unknown_session, WrongSession),
        (unknown_task, NotFound),
        (runtime, InvalidRequest),
        (nothing, InvalidRequest),
    ],
)
async def test_a_refusal_touches_neither_bundles_nor_executions(
    counter: Counter, spoil: Spoil, problem: type
) -> None:
    session = await running(counter)
    who, source = spoil(counter, session)

    refused = await counter.deliver(who, source, counter.progress)

    assert isinstance(refused.failure(), problem)
    assert counter.asked_of_bundles == counter.sink.calls == []
    assert "execution" not in counter.asked_of_store


@requirement("bundle:tool:order")
async def test_a_session_of_its_own_does_not_open_another_task(counter: Counter) -> None:
    session, other = await running(counter), await counter.plane.ready_task()

    refused = await counter.deliver(principal(session, task=other.id), "backend", counter.progress)

    assert refused.failure() == WrongSession()
    assert counter.asked_of_bundles == counter.sink.calls == []
    assert "execution" not in counter.asked_of_store


@requirement("bundle:tool:order")
async def test_a_person_has_no_workspace_to_deliver_to(counter: Counter) -> None:
    refused = await counter.deliver(OWNER, "backend", counter.progress)

    assert refused.failure() == NotFound("session")
    assert counter.asked_of_bundles == []


@requirement("bundle:tool:order")
async def test_the_job_is_there_before_the_execution_is_looked_up(counter: Counter) -> None:
    session = await running(counter)
    ended = replace(await counter.plane.execution(session.execution), state=ExecutionState.ENDED)
    async with counter.plane.store.write() as unit:
        await unit.put_execution(ended)

    refused = await counter.ask(session)

    assert refused.failure() == ExecutionChanged()
    assert counter.asked_of_bundles[0] == "request"
    assert counter.sink.calls == []


@requirement("bundle:tool:stale")
async def test_an_execution_replaced_between_stage_and_commit_gets_nothing(
    counter: Counter,
) -> None:
    session = await running(counter)
    new: list[Session] = []

    async def replace_it() -> None:
        new.append(await counter.replaced(session))
        counter.sink.alive.add(handle(new[0]))

    counter.sink.meanwhile = replace_it
    refused = await counter.ask(session)

    assert refused.failure() == ExecutionChanged()
    assert counter.sink.calls == ["stage", "discard"]
    assert (counter.sink.placed, counter.sink.stages) == ({}, {})
    assert new[0].execution != session.execution


@requirement("bundle:tool:stale")
async def test_a_session_that_was_stopped_meanwhile_gets_nothing(counter: Counter) -> None:
    session = await running(counter)

    async def stop_it() -> None:
        (await counter.plane.api.stop(OWNER, session.id)).unwrap()

    counter.sink.meanwhile = stop_it
    refused = await counter.ask(session)

    assert refused.failure() == ExecutionChanged()
    assert (counter.sink.placed, counter.sink.stages) == ({}, {})


@requirement("bundle:tool:stale")
async def test_no_execution_is_replaced_while_the_session_is_held(counter: Counter) -> None:
    session = await running(counter)
    stopped = await counter.plane.stopped(session)
    fences: SessionFences = counter.plane.container.fences()

    async with fences.hold(stopped.id):
        resuming = asyncio.create_task(counter.plane.resumed(stopped.id))
        await asyncio.wait({resuming}, timeout=0.2)
        between = (await counter.plane.session(stopped.id)).execution
    after = (await asyncio.wait_for(resuming, SECONDS)).unwrap().execution

    assert between == session.execution
    assert after != session.execution


@requirement("bundle:tool:waits")
async def test_who_waits_is_told_how_far_it_is(counter: Counter) -> None:
    session = await running(counter)
    counter.drawer.go.clear()
    asking = asyncio.create_task(counter.ask(session, "all"))
    await eventually(lambda: len(counter.told) >= 5)
    before = list(counter.told)
    counter.drawer.go.set()
    delivery = (await asking).unwrap()

    assert before == [(Step.COLLECTING, 0, 0)] * len(before)
    assert counter.drawer.asked[0] == BundleRequest((Source.BACKEND, Source.FRONTEND))
    assert all(total in {0, delivery.length} for _, _, total in counter.told)


@requirement("bundle:tool:waits")
async def test_what_takes_too_long_is_given_up(counter: Counter) -> None:
    session = await running(counter)
    counter.drawer.go.clear()
    impatient = replace(counter.deliver, seconds=0.05)

    refused = await impatient(principal(session), "backend", counter.progress)

    assert refused.failure() == TooLate()
    assert await _ended_as(counter) == [FailureReason.CANCELLED]


@requirement("bundle:tool:cancelled")
async def test_a_job_ends_with_the_last_who_waits_for_it(counter: Counter) -> None:
    session = await running(counter)
    counter.drawer.go.clear()
    first, second = (asyncio.create_task(counter.ask(session)) for _ in range(2))
    await asyncio.wait_for(counter.drawer.reached.wait(), SECONDS)
    await eventually(lambda: counter.asked_of_bundles.count("ended") == 2)

    first.cancel()
    await asyncio.wait({first})
    active = [job.state.active for job in _jobs(counter)]
    second.cancel()
    await asyncio.wait({second})

    assert active == [True]
    assert await _ended_as(counter) == [FailureReason.CANCELLED]
    assert counter.sink.calls == []


@requirement("bundle:tool:cancelled")
async def test_a_job_that_a_person_asked_for_outlives_an_agent_that_leaves(
    counter: Counter,
) -> None:
    session = await running(counter)
    counter.drawer.go.clear()
    counter.desk.request(AGENTS_OWNER, BundleRequest((Source.BACKEND,))).unwrap()
    asking = asyncio.create_task(counter.ask(session))
    await eventually(lambda: "ended" in counter.asked_of_bundles)
    asking.cancel()
    await asyncio.wait({asking})

    assert [job.state.active for job in _jobs(counter)] == [True]


@requirement("bundle:tool:busy")
async def test_another_active_job_of_the_owner_is_a_conflict(counter: Counter) -> None:
    session = await running(counter)
    counter.drawer.go.clear()
    counter.desk.request(AGENTS_OWNER, BundleRequest((Source.RUNTIME,))).unwrap()

    refused = (await counter.ask(session)).failure()

    assert isinstance(refused, Busy)
    assert refused.retry_after == timedelta(seconds=5)
    assert counter.sink.calls == []


@requirement("bundle:tool:fresh")
async def test_the_age_of_reused_evidence_is_told(counter: Counter) -> None:
    session = await running(counter)
    first = (await counter.ask(session)).unwrap()
    counter.plane.clock.advance(timedelta(seconds=9))
    second = (await counter.ask(session)).unwrap()

    assert (first.bundle, first.age) == (second.bundle, timedelta())
    assert second.age == timedelta(seconds=9)


@requirement("bundle:tool:refused")
async def test_what_the_workspace_refuses_is_told(counter: Counter) -> None:
    session = await counter.plane.running()

    refused = await counter.ask(session)

    problem = refused.failure()
    assert getattr(problem, "code", None) is RuntimeCode.NO_INSTANCE


@requirement("bundle:tool:refused")
async def test_evidence_that_changed_fails_the_job(counter: Counter) -> None:
    session = await running(counter)
    counter.drawer.data = b"x" * 100
    (await counter.ask(session)).unwrap()
    counter.drawer.papers[0].data = b""

    refused = await counter.ask(session)

    assert getattr(refused.failure(), "state", None) is JobState.FAILED
    assert [job.failure for job in _jobs(counter)] == [FailureReason.SOURCE_CHANGED]


def _jobs(counter: Counter) -> Sequence[Job]:
    return counter.desk.jobs


async def _ended_as(counter: Counter) -> list[FailureReason | None]:
    await eventually(lambda: not any(job.state.active for job in _jobs(counter)))
    return [job.failure for job in _jobs(counter)]
