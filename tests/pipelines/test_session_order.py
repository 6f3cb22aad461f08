"""Launches, resumes, stops and work that needs an agent, when they meet: one order for all."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from dependency_injector import providers
from typing_extensions import override

from composition.flights import FlightTasks
from domain.access import NotFound
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId, TokenId, UserId
from domain.outcome import Failure, Success, failed
from domain.principal import Execution, Token
from domain.session import Move, NotAllowed, Session, SessionState
from domain.session_order import WAIT_SECONDS, Wish
from pipelines.launch_session import LaunchRequest, TaskBusy
from pipelines.settled_sessions import SettledSessions
from ports.runtime import LaunchSpec, RuntimeCode, RuntimeProblem
from tests.eventually import eventually
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

Value = TypeVar("Value")

pytestmark = pytest.mark.anyio

SILENT = RuntimeProblem(RuntimeCode.AGENT_SILENT, "no answer")
BROWSER = Token(TokenId("browser"), UserId("owner"), None)


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


class Gate:
    """Holds who passes until it is opened, and tells that somebody came."""

    def __init__(self) -> None:
        self.reached, self.opened = asyncio.Event(), asyncio.Event()

    async def __call__(self, _: Handle | LaunchSpec) -> None:
        self.reached.set()
        await self.opened.wait()


class CountingFlights(FlightTasks):
    """Remembers how many came."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = 0

    @override
    async def join(
        self, key: Hashable, fly: Callable[[], Awaitable[Value]], *, for_callers: bool = False
    ) -> Value:
        self.joined += 1
        return await super().join(key, fly, for_callers=for_callers)


@dataclass(frozen=True)
class ListingSettled(SettledSessions):
    """Remembers who came to wait."""

    came: list[Wish] = field(default_factory=list)

    @override
    async def __call__(self, wish: Wish, task: TaskId, own: SessionId | None = None) -> None:
        self.came.append(wish)
        await super().__call__(wish, task, own)


def settled(plane: Plane, seconds: Mapping[Wish, float] = WAIT_SECONDS) -> ListingSettled:
    listing = ListingSettled(plane.store, seconds)
    plane.container.settled.override(providers.Object(listing))
    return listing


@requirement("session:launch:one-flight")
async def test_equal_launches_get_one_session_whoever_asks_and_whoever_gives_up(
    plane: Plane,
) -> None:
    flights = CountingFlights()
    plane.container.flights.override(providers.Object(flights))
    task = await plane.ready_task()
    plane.runtime.meanwhile = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        leaves = group.create_task(plane.launched(task.id))
        await gate.reached.wait()
        stay = [group.create_task(plane.launched(task.id)) for _ in range(2)]
        stay.append(group.create_task(plane.api.launch(BROWSER, LaunchRequest(task.id, "demo"))))
        await eventually(lambda: flights.joined == 1 + len(stay))
        leaves.cancel()
        await asyncio.wait({leaves})
        [starting] = await plane.sessions(task.id)
        unlike = await plane.launched(task.id, approve_automatically=True)
        gate.opened.set()

    [session] = await plane.sessions(task.id)
    assert leaves.cancelled()
    assert [each.result() for each in stay] == [Success(session)] * len(stay)
    assert unlike == Failure(TaskBusy(starting.id))
    assert list(plane.runtime.alive) == [handle(session)]
    assert len(plane.runtime.launches) == 1


@requirement("session:launch:one-flight")
async def test_a_launch_that_every_caller_gave_up_is_given_up(plane: Plane) -> None:
    flights = CountingFlights()
    plane.container.flights.override(providers.Object(flights))
    task = await plane.ready_task()
    plane.runtime.meanwhile = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        leave = [group.create_task(plane.launched(task.id)) for _ in range(2)]
        await gate.reached.wait()
        await eventually(lambda: flights.joined == len(leave))
        for each in leave:
            each.cancel()
        await asyncio.wait(leave)
        plane.runtime.meanwhile = None
        again = await plane.launched(task.id)

    given_up, begun = sorted(await plane.sessions(task.id), key=lambda each: each.created_at)
    assert given_up.state is SessionState.FAILED
    assert again == Success(begun)
    assert list(plane.runtime.alive) == [handle(begun)]


@requirement("session:launch:one-flight")
async def test_equal_launches_get_one_failure_and_who_asks_after_it_begins_anew(
    plane: Plane,
) -> None:
    flights = CountingFlights()
    plane.container.flights.override(providers.Object(flights))
    task = await plane.ready_task()
    plane.runtime.refuses["launch"] = SILENT
    plane.runtime.meanwhile = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        asking = [group.create_task(plane.launched(task.id)) for _ in range(3)]
        await eventually(lambda: flights.joined == len(asking))
        gate.opened.set()
    plane.runtime.refuses.clear()
    again = await plane.launched(task.id)

    assert [each.result() for each in asking] == [Failure(SILENT)] * 3
    assert again.unwrap().state is SessionState.IDLE
    assert len(await plane.sessions(task.id)) == 2


@requirement("session:person")
async def test_who_may_not_launch_gets_no_part_of_a_launch_that_is_under_way(plane: Plane) -> None:
    task = await plane.ready_task()
    stranger = Execution(ExecutionId("exec"), TaskId("task_other"), SessionId("ses_other"))
    plane.runtime.meanwhile = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        starts = group.create_task(plane.launched(task.id))
        await gate.reached.wait()
        refused = await plane.api.launch(stranger, LaunchRequest(task.id, "demo"))
        gate.opened.set()

    assert refused == Failure(NotFound("task"))
    assert starts.result().unwrap().state is SessionState.IDLE


@requirement("session:order")
@pytest.mark.parametrize(("fails", "given_up"), [(False, False), (True, False), (False, True)])
async def test_work_that_needs_an_agent_takes_the_one_that_starts_or_starts_another(
    plane: Plane, fails: bool, given_up: bool
) -> None:
    listing, gate = settled(plane), Gate()
    task = await plane.ready_task()

    async def start(spec: LaunchSpec) -> None:
        plane.runtime.refuses.clear()
        if len(plane.runtime.launches) == 1:
            await gate(spec)
            if fails:
                plane.runtime.refuses["launch"] = SILENT

    plane.runtime.meanwhile = start
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        launches = group.create_task(plane.launched(task.id))
        await gate.reached.wait()
        [starting] = await plane.sessions(task.id)
        needs = [group.create_task(plane.container.ensure()(OWNER, starting.id)) for _ in range(3)]
        await eventually(lambda: listing.came.count(Wish.INSTANCE) == len(needs))
        if given_up:
            launches.cancel()
            await asyncio.wait({launches})
        gate.opened.set()

    session = await plane.session(starting.id)
    assert session.state is SessionState.IDLE
    assert [each.result() for each in needs] == [Success(handle(session))] * len(needs)
    assert list(plane.runtime.alive) == [handle(session)]
    assert len(plane.runtime.launches) == (2 if fails or given_up else 1)


async def launches(plane: Plane, session: Session) -> bool:
    return not failed(await plane.launched(session.task))


async def resumes(plane: Plane, session: Session) -> bool:
    return not failed(await plane.resumed(session.id))


async def needs_an_agent(plane: Plane, session: Session) -> bool:
    return not failed(await plane.container.ensure()(OWNER, session.id))


@requirement("session:order")
@pytest.mark.parametrize("want", [launches, resumes, needs_an_agent])
async def test_who_wants_an_agent_while_one_is_stopped_gets_one_after_that(
    plane: Plane, want: Callable[[Plane, Session], Coroutine[None, None, bool]]
) -> None:
    listing = settled(plane)
    session = await plane.running()
    (await plane.api.stop(OWNER, session.id)).unwrap()
    came = len(listing.came)

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        wanted = group.create_task(want(plane, session))
        await eventually(lambda: len(listing.came) > came)
        before = len(plane.runtime.launches)
        await plane.container.follow().conclude(handle(session))

    assert (before, len(plane.runtime.launches)) == (1, 2)
    assert wanted.result()
    [alive] = plane.runtime.alive
    assert alive.execution != session.execution


@requirement("session:order")
async def test_a_stop_that_does_not_end_in_time_refuses_who_waited(plane: Plane) -> None:
    settled(plane, dict.fromkeys(Wish, 0.0))
    session = await plane.running()
    (await plane.api.stop(OWNER, session.id)).unwrap()

    refused = NotAllowed(SessionState.STOPPING, Move.RESUME_ASKED)
    assert await plane.resumed(session.id) == Failure(refused)
    assert await plane.container.ensure()(OWNER, session.id) == Failure(refused)
    assert await plane.launched(session.task) == Failure(TaskBusy(session.id))
    assert (await plane.stopped(session)).state is SessionState.STOPPED


@requirement("session:order")
async def test_who_waits_for_a_stop_learns_that_the_task_was_deleted(plane: Plane) -> None:
    listing = settled(plane)
    session = await plane.running()
    (await plane.api.stop(OWNER, session.id)).unwrap()
    came = len(listing.came)

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        waits = group.create_task(plane.resumed(session.id))
        await eventually(lambda: len(listing.came) > came)
        async with plane.store.write() as unit:
            await unit.remove_task(session.task)

    assert waits.result() == Failure(NotFound("session"))
