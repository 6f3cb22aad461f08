"""Who may open and see terminals beside an agent, and when there is an agent to open them beside."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.identity import ExecutionId, SessionId
from domain.outcome import Failure
from domain.principal import Execution
from domain.terminal import InvalidSize
from ports.runtime import RuntimeCode
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("terminal:visible")
async def test_an_agent_and_a_stranger_session_have_no_terminal(plane: Plane) -> None:
    session, terminals = await plane.running(), plane.api.terminals
    agent = Execution(session.execution or ExecutionId(""), session.task, session.id)
    absent = Failure(NotFound("session"))

    for who, where in ((agent, session.id), (OWNER, SessionId("ses_none"))):
        assert await terminals.open(who, where, 80, 24) == absent
        assert await terminals.all(who, where) == absent
        assert await terminals.end(who, where, "t1") == absent
        assert await terminals.look(who, where, "t1") == absent


@requirement("terminal:ensured")
async def test_a_terminal_needs_an_instance_and_a_look_has_none(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    terminals = plane.api.terminals

    nothing = [
        (await terminals.all(OWNER, session.id)).failure(),
        (await terminals.end(OWNER, session.id, "t1")).failure(),
        (await terminals.look(OWNER, session.id, "t1")).failure(),
    ]
    (await terminals.open(OWNER, session.id, 80, 24)).unwrap()

    assert {getattr(each, "code", None) for each in nothing} == {RuntimeCode.NO_INSTANCE}
    assert [whose for whose, _ in plane.beside.opened] == [handle(await plane.session(session.id))]


@requirement("terminal:size")
async def test_a_size_that_is_none_starts_nothing(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())

    assert await plane.api.terminals.open(OWNER, session.id, 0, 24) == Failure(InvalidSize())
    assert (await plane.session(session.id)).execution == session.execution
