"""Which stored secrets the redactor knows after a start, and which are told to another one."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.connection import Kind
from domain.github_app import AppRegistration, pack
from domain.identity import ConnectionId, WorkspaceId
from domain.secret import Secret
from pipelines.known_secrets import PAGE
from ports.vault import connection_place
from tests.pipelines.chosen import agent_profile, chosen, executor_profile, repository_has
from tests.pipelines.plane import SECRET, Plane, plane_over
from tests.pipelines.rows import copied
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

KEY = "-----BEGIN PRIVATE KEY-----\nc2lnbnMtYW5kLW5vdGhpbmctZWxzZQ==\n-----END PRIVATE KEY-----"


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("session:recover")
@requirement("profile:secret")
async def test_secrets_are_known_to_the_redactor_before_anything_is_written(
    plane: Plane, tmp_path: Path
) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    await agent_profile(plane, task.workspace, chosen({}, {"A": "of-the-agent", "B": None}))
    await executor_profile(plane, task.workspace, chosen({}, {"A": "of-the-executor"}))
    repository = task.repositories[0].repository
    await repository_has(plane, repository, chosen({"C": "plain"}, {"A": "of-the-repository"}))
    copied(tmp_path, tmp_path / "again")

    async with plane_over(tmp_path / "again", "again") as restarted:
        await restarted.container.recover()()

        assert restarted.redactor.registered == {
            SECRET,
            "of-the-agent",
            "of-the-executor",
            "of-the-repository",
        }
        assert restarted.redactor.redact(f"token {SECRET}") == "token ***"


@requirement("session:recover")
async def test_no_workspace_is_left_out_however_many_there_are(
    plane: Plane, tmp_path: Path
) -> None:
    workspace = await plane.workspace()
    async with plane.store.write() as unit:
        first = await unit.workspace(workspace)
        assert first is not None
        for number in range(PAGE):
            await unit.put_workspace(replace(first, id=WorkspaceId(f"ws_a{number:03}")))
        last = replace(first, id=WorkspaceId("ws_z"))
        await unit.put_workspace(last)
    (await plane.connected(last.id)).unwrap()
    plane.redactor.registered.clear()
    plane.clock.advance(timedelta(minutes=1))  # past what is kept opened

    await plane.container.known_secrets().register()

    assert plane.redactor.registered == {SECRET}


@requirement("connection:app:stays")
async def test_only_what_git_can_be_given_leaves_the_control_plane(plane: Plane) -> None:
    task = await plane.ready_task()
    await agent_profile(plane, task.workspace, chosen({}, {"A": "of-the-agent"}))
    await connect_app(plane, task.workspace)

    given = await plane.container.known_secrets().of_git()

    assert given == (Secret(SECRET),)


async def connect_app(plane: Plane, workspace: WorkspaceId) -> None:
    """A connection whose secret is the key of an App."""
    async with plane.store.write() as unit:
        [token] = await unit.connections(workspace)
        key, host, kind = ConnectionId("con_app"), "github.example", Kind.GITHUB_APP
        app = replace(token, id=key, host=host, kind=kind)
        packed = pack(AppRegistration(1, Secret(KEY), Secret(""), Secret("")), 2)
        sealed = plane.container.vault().seal(connection_place(app.id, workspace), packed)
        await unit.put_connection(app, sealed)
