"""Who may run commands beside an agent, and when there is an agent to run them beside."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.background import BackgroundState, InvalidCommand
from domain.identity import ExecutionId, SessionId
from domain.outcome import Failure
from domain.principal import Execution
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("background:visible")
async def test_a_person_starts_sees_reads_and_stops_a_command(plane: Plane) -> None:
    session, processes = await plane.running(), plane.api.processes

    started = (await processes.start(OWNER, session.id, "make watch", "web")).unwrap()
    listed = (await processes.all(OWNER, session.id)).unwrap()
    read = (await processes.output(OWNER, session.id, started.id, 7)).unwrap()
    stopped = (await processes.stop(OWNER, session.id, started.id)).unwrap()

    assert (started.command, started.directory) == ("make watch", "/workspace/web")
    assert list(listed) == [started]
    assert (read.begin, read.text) == (7, "said")
    assert stopped.state is BackgroundState.STOPPED


@requirement("background:visible")
async def test_an_agent_does_not_and_a_stranger_session_has_none(plane: Plane) -> None:
    session, processes = await plane.running(), plane.api.processes
    agent = Execution(session.execution or ExecutionId(""), session.task, session.id)
    absent = Failure(NotFound("session"))

    for who, where in ((agent, session.id), (OWNER, SessionId("ses_none"))):
        assert await processes.start(who, where, "true", "") == absent
        assert await processes.all(who, where) == absent
        assert await processes.output(who, where, "p1", 0) == absent
        assert await processes.stop(who, where, "p1") == absent


@requirement("background:ensured")
async def test_a_command_needs_an_instance_and_a_look_has_none(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    processes = plane.api.processes

    nothing = (await processes.all(OWNER, session.id)).failure()
    (await processes.start(OWNER, session.id, "true", "")).unwrap()
    resumed = await plane.session(session.id)

    assert nothing == RuntimeProblem(
        RuntimeCode.NO_INSTANCE, "the session is stopped: no agent runs in it"
    )
    assert [whose for whose, _ in plane.beside.commands] == [handle(resumed)]
    assert resumed.execution != session.execution


@requirement("background:start:refused")
@pytest.mark.parametrize(("command", "folder"), [(" ", ""), ("true", "../up")])
async def test_what_no_shell_should_be_given_goes_no_further(
    plane: Plane, command: str, folder: str
) -> None:
    session = await plane.running()

    refused = await plane.api.processes.start(OWNER, session.id, command, folder)

    assert refused == Failure(InvalidCommand())
    assert plane.beside.commands == []
