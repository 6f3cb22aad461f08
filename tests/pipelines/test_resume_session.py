"""Resuming: the same conversation in the same worktree, or a new one that is said to be new."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.identity import ExecutionId, SessionId
from domain.outcome import Failure, Success
from domain.principal import Execution
from domain.session import Move, NotAllowed, SessionState
from domain.variables import InvalidVariable
from pipelines.launch_session import AgentNotInstalled
from pipelines.resume_session import ResumeRequest
from ports.runtime import Launched, LaunchSpec, RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def test_a_resume_loads_the_conversation_in_the_same_worktree(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())

    resumed = (await plane.resumed(session.id)).unwrap()

    first, again = plane.runtime.launches
    assert again.acp_session == "conversation-1"
    assert (again.workspace, again.checkouts) == (first.workspace, first.checkouts)
    assert again.handle.session == first.handle.session
    assert again.handle.execution != first.handle.execution
    assert resumed.execution == again.handle.execution
    assert await plane.session(session.id) == resumed


@requirement("session:resume:one-flight")
async def test_two_who_resume_at_once_get_one_agent_also_when_one_gives_up(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    launching, may_go_on = asyncio.Event(), asyncio.Event()

    async def wait(_: LaunchSpec) -> None:
        launching.set()
        await may_go_on.wait()

    plane.runtime.meanwhile = wait
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        leaves = group.create_task(plane.resumed(session.id))
        await launching.wait()
        stays = group.create_task(plane.resumed(session.id))
        ensures = group.create_task(plane.container.ensure()(OWNER, session.id))
        other = await plane.resumed(session.id, fresh=True)
        leaves.cancel()
        may_go_on.set()

    resumed = stays.result().unwrap()
    assert len(plane.runtime.launches) == 2
    assert await plane.session(session.id) == resumed
    assert ensures.result() == Success(handle(resumed))
    assert other == Failure(NotAllowed(SessionState.STARTING, Move.RESUME_ASKED))


async def test_a_conversation_that_was_lost_is_said_to_be(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    plane.runtime.tells = Launched("conversation-2", False, "no such session", ("GH_TOKEN",), {})

    resumed = (await plane.resumed(session.id)).unwrap()

    assert resumed.acp_session == "conversation-2"
    assert resumed.metadata["lost_context"] == "no such session"
    assert resumed.metadata["removed_variables"] == ["GH_TOKEN"]


@requirement("session:start:failed")
async def test_a_fresh_start_that_fails_keeps_the_old_conversation(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    plane.runtime.refuses["launch"] = RuntimeProblem(RuntimeCode.AGENT_SILENT, "no answer")
    await plane.resumed(session.id, fresh=True)
    plane.runtime.refuses.clear()

    (await plane.resumed(session.id)).unwrap()

    assert [each.acp_session for each in plane.runtime.launches] == [None, None, "conversation-1"]


async def test_only_a_session_at_rest_is_resumed(plane: Plane) -> None:
    session = await plane.running()

    assert await plane.resumed(session.id) == Failure(
        NotAllowed(SessionState.IDLE, Move.RESUME_ASKED)
    )
    assert await plane.resumed(SessionId("ses_none")) == Failure(NotFound("session"))


@requirement("session:start:refused-early")
async def test_a_resume_that_cannot_be_meant_changes_nothing(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())

    wrong = await plane.resumed(session.id, environment={"A": "\0"})
    plane.agents.installed[0] = replace(plane.agents.installed[0], program=None)
    absent = await plane.resumed(session.id)

    assert wrong == Failure(InvalidVariable("A"))
    assert absent == Failure(AgentNotInstalled("demo", "demo-agent", "ships with Kandev"))
    assert await plane.session(session.id) == session


@requirement("session:person")
async def test_an_agent_cannot_resume(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    agent = Execution(ExecutionId("exec"), session.task, session.id)

    outcome = await plane.api.resume(agent, ResumeRequest(session.id))

    assert outcome == Failure(NotFound("session"))
