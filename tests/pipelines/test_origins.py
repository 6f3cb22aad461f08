"""The origin of a checkout that we made follows the decision of each start."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.credential_policy import Mode
from domain.identity import WorkspaceId
from domain.registered_repository import Repository
from domain.task import Task
from tests.pipelines.plane import HOST, OWNER, Plane, plane_over, url_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SSH = f"git@{HOST}:acme/app.git"


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def registered(plane: Plane, url: str) -> tuple[WorkspaceId, Repository, Task]:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    plane.git.remotes |= {url_of("app"): "main", url: "main"}
    found = (await plane.api.register_repository.by_url(OWNER, workspace, url)).unwrap()
    return workspace, found, await plane.task(workspace, found.id)


@requirement("git:origin")
async def test_what_is_registered_over_ssh_is_reached_over_https_under_managed(
    plane: Plane,
) -> None:
    workspace, repository, task = await registered(plane, SSH)

    session = (await plane.launched(task.id)).unwrap()
    managed = plane.git.origins[repository.id]
    await plane.stopped(session)
    settings = plane.api.workspace_settings
    (await settings.update(OWNER, workspace, Mode.EXECUTOR.value)).unwrap()
    (await plane.resumed(session.id)).unwrap()

    assert managed == url_of("app")
    assert plane.git.origins[repository.id] == SSH
    fetched = [each for each in plane.git.asked if each.password is not None]
    assert {each.url for each in fetched} == {url_of("app")}


@requirement("git:origin")
async def test_an_https_url_stays_as_it_was_registered(plane: Plane) -> None:
    spelled = url_of("app").removesuffix(".git")
    _, repository, task = await registered(plane, spelled)

    (await plane.launched(task.id)).unwrap()

    assert plane.git.origins == {repository.id: spelled}
