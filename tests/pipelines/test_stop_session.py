"""Stopping when several ask, and when a start comes at the same time: one stop, in one order."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from pathlib import Path
from typing import TypeVar

import pytest
from dependency_injector import providers
from typing_extensions import override

from composition.flights import FlightTasks
from domain.access import NotFound
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId, TokenId, UserId
from domain.outcome import Failure, Success
from domain.principal import Execution, Token, User
from domain.session import SessionState
from pipelines.start_problem import Superseded
from ports.runtime import LaunchSpec, RuntimeCode, RuntimeProblem
from tests.eventually import eventually
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Value = TypeVar("Value")

OTHERS = [OWNER, User(UserId("owner")), Token(TokenId("browser"), UserId("owner"), None)]


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


class ListingFlights(FlightTasks):
    """Remembers for which keys somebody came."""

    def __init__(self) -> None:
        super().__init__()
        self.joined: list[Hashable] = []

    @override
    async def join(
        self, key: Hashable, fly: Callable[[], Awaitable[Value]], *, for_callers: bool = False
    ) -> Value:
        self.joined.append(key)
        return await super().join(key, fly, for_callers=for_callers)


@requirement("session:stop:one-flight")
async def test_an_agent_is_told_once_to_stop_whoever_asks_and_whoever_gives_up(
    plane: Plane,
) -> None:
    flights = ListingFlights()
    plane.container.flights.override(providers.Object(flights))
    session = await plane.running()
    plane.runtime.stopping = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        leaves = group.create_task(plane.api.stop(OWNER, session.id))
        await gate.reached.wait()
        stay = [group.create_task(plane.api.stop(each, session.id)) for each in OTHERS]
        leaves.cancel()
        await asyncio.wait({leaves})
        await eventually(lambda: flights.joined.count(("stop", handle(session))) == len(OTHERS))
        gate.opened.set()

    assert leaves.cancelled()
    assert {each.result().unwrap().state for each in stay} == {SessionState.STOPPING}
    assert plane.runtime.stopped == [handle(session)]
    assert plane.runtime.alive == {}


@requirement("session:stop:one-flight")
async def test_a_stop_goes_on_when_nobody_waits_for_it(plane: Plane) -> None:
    session = await plane.running()
    plane.runtime.stopping = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        leaves = group.create_task(plane.api.stop(OWNER, session.id))
        await gate.reached.wait()
        leaves.cancel()
        await asyncio.wait({leaves})
        joins = group.create_task(plane.api.stop(OWNER, session.id))
        gate.opened.set()

    assert joins.result().unwrap().state is SessionState.STOPPING
    assert plane.runtime.stopped == [handle(session)]


@requirement("session:stop:one-flight")
async def test_who_asks_after_a_stop_that_failed_asks_anew(plane: Plane) -> None:
    session = await plane.running()
    problem = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")
    plane.runtime.refuses["stop"] = problem

    together = await asyncio.gather(*(plane.api.stop(OWNER, session.id) for _ in range(3)))
    plane.runtime.refuses.clear()
    again = await plane.api.stop(OWNER, session.id)

    assert together == [Failure(problem)] * 3
    assert again.unwrap().state is SessionState.STOPPING
    assert plane.runtime.stopped == [handle(session)] * 2


@requirement("session:person")
async def test_who_may_not_stop_gets_no_part_of_a_stop_that_is_under_way(plane: Plane) -> None:
    session = await plane.running()
    stranger = Execution(ExecutionId("exec"), TaskId("task_other"), SessionId("ses_other"))
    plane.runtime.stopping = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        stops = group.create_task(plane.api.stop(OWNER, session.id))
        await gate.reached.wait()
        refused = await plane.api.stop(stranger, session.id)
        gate.opened.set()

    assert refused == Failure(NotFound("session"))
    assert stops.result().unwrap().state is SessionState.STOPPING


@requirement("session:start:superseded")
async def test_a_stop_during_a_resume_ends_what_it_made_and_the_next_one_works(
    plane: Plane,
) -> None:
    session = await plane.stopped(await plane.running())
    plane.runtime.meanwhile = gate = Gate()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        resumes = group.create_task(plane.resumed(session.id))
        await gate.reached.wait()
        stops = [group.create_task(plane.api.stop(OWNER, session.id)) for _ in range(2)]
        await asyncio.wait(stops)
        during = group.create_task(plane.resumed(session.id, fresh=True))
        gate.opened.set()

    assert resumes.result() == Failure(Superseded())
    again = during.result().unwrap()
    assert list(plane.runtime.alive) == [handle(again)]
    assert await plane.container.ensure()(OWNER, session.id) == Success(handle(again))
