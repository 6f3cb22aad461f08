"""Who is told what git sees in a session, and when there is something to tell."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.git_configuration import GitConfiguration
from domain.identity import ExecutionId, SessionId
from domain.outcome import Failure, Success
from domain.principal import Execution
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NOTHING = GitConfiguration((), (), (), (), ())


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("explain:git:visible")
async def test_a_person_is_told_about_a_session_and_an_agent_is_not(plane: Plane) -> None:
    session = await plane.running()
    agent = Execution(session.execution or ExecutionId(""), session.task, session.id)

    assert await plane.api.explain_git(OWNER, session.id) == Success(NOTHING)
    assert await plane.api.explain_git(agent, session.id) == Failure(NotFound("session"))
    assert await plane.api.explain_git(OWNER, SessionId("ses_none")) == Failure(NotFound("session"))


@requirement("explain:git:visible")
async def test_a_session_without_an_agent_has_nothing_in_effect(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())

    problem = (await plane.api.explain_git(OWNER, session.id)).failure()

    assert problem == RuntimeProblem(
        RuntimeCode.NO_INSTANCE, "the session is stopped: no agent runs in it"
    )


async def test_what_agentctl_refuses_is_handed_on(plane: Plane) -> None:
    session = await plane.running()
    problem = RuntimeProblem(RuntimeCode.UNREACHABLE, "gone")
    plane.runtime.refuses["git_configuration"] = problem

    assert await plane.api.explain_git(OWNER, session.id) == Failure(problem)
