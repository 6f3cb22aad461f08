"""Git of a session: who is answered, what starts an agent, and what is refused before."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.git_change import Commit, Stage
from domain.git_diff import DiffRequest
from domain.git_failure import GitCode, GitFailure
from domain.git_history import InvalidLimit, LogRequest
from domain.identity import ExecutionId, SessionId
from domain.outcome import Failure
from domain.principal import Execution
from domain.session import SessionState
from domain.worktree_path import InvalidPath
from pipelines.launch_session import TaskArchived
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("session-git:person")
async def test_a_person_is_answered_and_an_agent_is_not(plane: Plane) -> None:
    session = await plane.running()
    agent = Execution(session.execution or ExecutionId(""), session.task, session.id)
    look, change = plane.api.look_at_git, plane.api.change_git

    assert (await look.status(OWNER, session.id, "app")).unwrap().branch == "topic"
    assert plane.instance_git.asked == [(handle(session), "app", None)]
    assert await look.status(agent, session.id, None) == Failure(NotFound("session"))
    assert await change(agent, session.id, None, Stage()) == Failure(NotFound("session"))
    assert await look.status(OWNER, SessionId("none"), None) == Failure(NotFound("session"))


@requirement("session-git:instance")
async def test_a_look_starts_nothing(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    look, launches = plane.api.look_at_git, len(plane.runtime.launches)

    for looked in (
        await look.status(OWNER, session.id, None),
        await look.diff(OWNER, session.id, None, DiffRequest()),
        await look.log(OWNER, session.id, None, LogRequest()),
    ):
        assert looked == Failure(
            RuntimeProblem(RuntimeCode.NO_INSTANCE, "the session is stopped: no agent runs in it")
        )
    assert len(plane.runtime.launches) == launches
    assert plane.instance_git.asked == []


@requirement("session-git:instance")
async def test_a_change_resumes_a_session_without_an_agent(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())

    (await plane.api.change_git(OWNER, session.id, None, Stage())).unwrap()

    resumed = await plane.session(session.id)
    assert resumed.state is SessionState.IDLE
    assert resumed.execution != session.execution
    assert plane.instance_git.asked == [(handle(resumed), None, Stage())]


@requirement("session-git:instance")
async def test_a_change_that_cannot_start_an_agent_says_why(plane: Plane) -> None:
    session = await plane.running()
    (await plane.api.archive_task(OWNER, session.task)).unwrap()
    await plane.container.follow().conclude(handle(session))

    assert await plane.api.change_git(OWNER, session.id, None, Stage()) == Failure(TaskArchived())


@requirement("session-git:arguments")
async def test_what_cannot_be_meant_reaches_no_instance(plane: Plane) -> None:
    session = await plane.running()
    look = plane.api.look_at_git

    for refused, problem in (
        (await plane.api.change_git(OWNER, session.id, None, Stage(("/x",))), InvalidPath()),
        (
            await look.diff(OWNER, session.id, None, DiffRequest(paths=("../x",))),
            InvalidPath(),
        ),
        (await look.log(OWNER, session.id, None, LogRequest(0)), InvalidLimit()),
    ):
        assert refused == Failure(problem)
    assert plane.instance_git.asked == []


@requirement("session-git:failures")
async def test_what_git_says_is_handed_on(plane: Plane) -> None:
    session = await plane.running()
    plane.instance_git.refuses = GitFailure(GitCode.NOTHING_TO_COMMIT, "nothing to commit")

    refused = await plane.api.change_git(OWNER, session.id, None, Commit("Nothing."))

    assert refused == Failure(plane.instance_git.refuses)
