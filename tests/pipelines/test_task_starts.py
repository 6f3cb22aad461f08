"""Tasks that begin at a branch that exists or at a pull request: what a launch asks for."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from domain.base_branch import pull_request_heads
from domain.git_failure import GitCode, GitFailure
from domain.identity import TaskId, WorkspaceId
from domain.outcome import Failure, Result
from domain.session import SessionFailure, SessionState
from domain.task import InvalidStart, TaskRepository
from pipelines.create_task import Created, CreateTaskProblem, CreateTaskRequest, NotCloned
from pipelines.refresh_clone import NoPullRequest
from ports.git import LocalRepository
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def _create(
    plane: Plane,
    workspace: WorkspaceId,
    places: Sequence[TaskRepository],
    parent: TaskId | None = None,
) -> Result[Created, CreateTaskProblem]:
    request = CreateTaskRequest(workspace, "Try it", "Work.", places, parent)
    return await plane.api.create_task(OWNER, request)


async def _cloned(plane: Plane) -> tuple[WorkspaceId, TaskRepository]:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    return workspace, TaskRepository((await plane.repository(workspace)).id)


@requirement("branch:existing")
async def test_a_task_on_a_branch_that_exists_has_that_branch(plane: Plane) -> None:
    workspace, place = await _cloned(plane)
    wanted = TaskRepository(place.repository, checkout="topic")
    task = (await _create(plane, workspace, [wanted])).unwrap().task

    (await plane.launched(task.id)).unwrap()
    part = (await _create(plane, workspace, [], task.id)).unwrap().task

    [checkout] = plane.runtime.launches[0].checkouts
    assert (checkout.branch, checkout.base) == ("topic", "origin/topic")
    assert checkout.existing
    assert part.repositories == (TaskRepository(place.repository, "topic"),)


@requirement("branch:pull-request")
async def test_a_pull_request_is_fetched_with_the_credential_once_until_it_is_begun(
    plane: Plane,
) -> None:
    workspace, place = await _cloned(plane)
    plane.git.heads.update(pull_request_heads(7)[:1])
    wanted = TaskRepository(place.repository, pull_request=7)
    task = (await _create(plane, workspace, [wanted])).unwrap().task

    session = await plane.stopped((await plane.launched(task.id)).unwrap())
    (await plane.resumed(session.id)).unwrap()

    assert plane.git.fetched == [(place.repository, "refs/kandev/pull/7")]
    bases = [each.checkouts[0].base for each in plane.runtime.launches]
    assert bases == ["refs/kandev/pull/7"] * 2
    assert not plane.runtime.launches[0].checkouts[0].existing


@requirement("branch:pull-request:missing")
async def test_a_pull_request_that_is_not_there_starts_nothing(plane: Plane) -> None:
    workspace, place = await _cloned(plane)
    wanted = TaskRepository(place.repository, pull_request=7)
    task = (await _create(plane, workspace, [wanted])).unwrap().task

    refused = await plane.launched(task.id)

    assert refused == Failure(NoPullRequest(7))
    [session] = await plane.sessions(task.id)
    assert session.state is SessionState.FAILED
    assert session.failure == SessionFailure("pull_request_not_found", "7")
    assert plane.runtime.launches == []


@requirement("branch:pull-request:missing")
async def test_a_remote_that_refuses_is_told_as_it_is(plane: Plane) -> None:
    workspace, place = await _cloned(plane)
    wanted = TaskRepository(place.repository, pull_request=7)
    task = (await _create(plane, workspace, [wanted])).unwrap().task
    down = GitFailure(GitCode.UNREACHABLE, "no route")
    plane.git.refuses = down

    assert await plane.launched(task.id) == Failure(down)


@requirement("branch:start:refused")
async def test_a_start_that_cannot_be_is_refused_before_there_is_a_task(
    plane: Plane, tmp_path: Path
) -> None:
    workspace, place = await _cloned(plane)
    path = str(tmp_path / "own")
    plane.git.local[path] = LocalRepository(path, None, "main")
    own = (await plane.api.register_repository.by_path(OWNER, workspace, path)).unwrap()

    two = TaskRepository(place.repository, "main", "topic")
    local = TaskRepository(own.id, pull_request=7)

    assert await _create(plane, workspace, [two]) == Failure(InvalidStart())
    assert await _create(plane, workspace, [local]) == Failure(NotCloned())
