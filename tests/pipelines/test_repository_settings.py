"""What a repository asks for is stored when it is valid, and travels with each launch."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.branch_template import UnknownPlaceholder
from domain.copy_files import CopyEntry, UnknownKeyword
from domain.environment import Layer
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId
from domain.outcome import Failure
from domain.principal import Execution
from domain.repository_settings import RepositorySettings, SettingsChange
from domain.script import FailurePolicy
from domain.secret import Secret
from domain.stored_environment import ChosenEnvironment
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("copy-files:setting")
async def test_a_launch_asks_for_what_the_repository_asks_for(plane: Plane) -> None:
    task = await plane.ready_task()
    repository = task.repositories[0].repository
    change = SettingsChange(copy_files=".env, config:symlink")

    settings = (await plane.api.change_repository(OWNER, repository, change)).unwrap()
    (await plane.launched(task.id)).unwrap()

    [checkout] = plane.runtime.launches[0].checkouts
    assert checkout.copies == (CopyEntry(".env"), CopyEntry("config", symlink=True))
    assert (await plane.api.change_repository.read(OWNER, repository)).unwrap() == settings


@requirement("script:cleanup")
@requirement("script:cleanup:closed")
async def test_the_removal_of_a_task_has_its_cleanup_scripts_and_no_lease(plane: Plane) -> None:
    task = await plane.ready_task()
    repository = task.repositories[0].repository
    wanted = SettingsChange(cleanup_script="make clean")
    (await plane.api.change_repository(OWNER, repository, wanted)).unwrap()
    chosen = ChosenEnvironment({"PORT": "1"}, {"KEY": Secret("sealed-value")})
    (await plane.api.repository_environment(OWNER, repository, chosen)).unwrap()
    session = (await plane.launched(task.id, environment={"ASKED": "once"})).unwrap()

    (await plane.api.archive_task(OWNER, task.id)).unwrap()

    [removed] = plane.runtime.removed
    assert [each.scripts and each.scripts.cleanup for each in removed.checkouts] == ["make clean"]
    assert removed.cleanup is not None
    assert (removed.cleanup.session, removed.cleanup.execution) == (session.id, session.execution)
    assert [each.host for each in removed.cleanup.hosts] == ["forge.example"]
    assert [*removed.cleanup.layers, Layer("request", {"ASKED": "once"})] == (
        list(plane.runtime.launches[0].layers)
    )
    assert {"PORT": "1", "KEY": "sealed-value"} in [
        each.variables for each in removed.cleanup.layers
    ]


@requirement("branch:template:stable")
async def test_a_branch_keeps_its_name_when_the_template_or_the_title_changes(
    plane: Plane,
) -> None:
    task = await plane.ready_task()
    repository = task.repositories[0].repository
    change = plane.api.change_repository
    (await change(OWNER, repository, SettingsChange(worktree_branch_template="t/{title}"))).unwrap()
    session = await plane.stopped((await plane.launched(task.id)).unwrap())
    (await change(OWNER, repository, SettingsChange(worktree_branch_template="u/{title}"))).unwrap()
    async with plane.store.write() as unit:
        await unit.put_task(replace(task, title="Another"))

    (await plane.resumed(session.id)).unwrap()
    (await plane.api.archive_task(OWNER, task.id)).unwrap()

    branches = [launch.checkouts[0].branch for launch in plane.runtime.launches]
    assert branches == ["t/try-it", "t/try-it"]
    assert [each.branch for each in plane.runtime.removed[0].checkouts] == ["t/try-it"]


@requirement("branch:template:refused")
async def test_a_template_with_an_unknown_placeholder_is_not_saved(plane: Plane) -> None:
    task = await plane.ready_task()
    repository = task.repositories[0].repository
    change = SettingsChange(worktree_branch_template="{user}/{title}")

    refused = await plane.api.change_repository(OWNER, repository, change)

    assert refused == Failure(UnknownPlaceholder("user"))
    assert (await plane.api.change_repository.read(OWNER, repository)).unwrap() == (
        RepositorySettings()
    )


@requirement("copy-files:refused")
async def test_what_is_not_valid_changes_nothing(plane: Plane) -> None:
    task = await plane.ready_task()
    repository = task.repositories[0].repository
    change = plane.api.change_repository
    (await change(OWNER, repository, SettingsChange(".env"))).unwrap()

    refused = await change(OWNER, repository, SettingsChange(".env:move"))

    assert refused == Failure(UnknownKeyword(".env", "move"))
    assert (await change.read(OWNER, repository)).unwrap() == RepositorySettings(".env")


@requirement("copy-files:setting")
async def test_only_a_person_sees_and_changes_what_a_repository_asks_for(plane: Plane) -> None:
    task = await plane.ready_task()
    repository = task.repositories[0].repository
    agent = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))
    absent = Failure(NotFound("repository"))
    change = plane.api.change_repository

    assert await change(agent, repository, SettingsChange()) == absent
    assert await change.read(agent, repository) == absent
    assert await change(OWNER, RepositoryId("repo_none"), SettingsChange()) == absent
    assert await change.read(OWNER, RepositoryId("repo_none")) == absent


@requirement("script:setting")
async def test_a_launch_has_the_scripts_of_the_repository(plane: Plane) -> None:
    task = await plane.ready_task()
    repository = task.repositories[0].repository
    change = plane.api.change_repository

    wanted = SettingsChange(setup_script="make", on_setup_failure=FailurePolicy.BLOCK)
    (await change(OWNER, repository, wanted)).unwrap()
    (await change(OWNER, repository, SettingsChange(cleanup_script="make clean"))).unwrap()
    (await plane.launched(task.id)).unwrap()

    [checkout] = plane.runtime.launches[0].checkouts
    scripts = checkout.scripts
    assert scripts is not None
    assert (scripts.setup, scripts.cleanup) == ("make", "make clean")
    assert scripts.on_setup_failure is FailurePolicy.BLOCK
