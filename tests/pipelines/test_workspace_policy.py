"""The policy of a workspace: its default, its changes, and what is refused with the row unchanged."""

from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.credential_policy import Mode
from domain.identity import ExecutionId, SessionId, TaskId, WorkspaceId
from domain.outcome import Failure, failed
from domain.principal import Execution
from domain.workspace import MAX_NAME, InvalidName, UnknownMode
from pipelines.workspace_settings import SameWorkspace
from tests.contracts.stores import KINDS, opened
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))
NOWHERE = WorkspaceId("ws_none")


@pytest.fixture(params=KINDS)
async def plane(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Plane]:
    opening = partial(opened, request, request.param, tmp_path)
    async with plane_over(tmp_path, opening=opening) as made:
        yield made


@requirement("workspace:policy:default")
async def test_a_new_workspace_is_managed(plane: Plane) -> None:
    assert await plane.mode(await plane.workspace()) is Mode.MANAGED
    assert await plane.mode(await plane.workspace("executor")) is Mode.EXECUTOR


@requirement("workspace:policy:unknown")
@pytest.mark.parametrize("mode", ["host", "", "7", "managed executor", "MANAGED\0"])
@pytest.mark.parametrize("stored", ["managed", "executor"])
async def test_an_unknown_policy_is_refused_with_the_row_unchanged(
    plane: Plane, stored: str, mode: str
) -> None:
    workspace = await plane.workspace(stored)

    outcome = await plane.api.workspace_settings.update(OWNER, workspace, mode)

    assert outcome == Failure(UnknownMode())
    assert await plane.mode(workspace) == stored
    assert await plane.api.register_workspace(OWNER, "Shop", mode) == Failure(UnknownMode())


@pytest.mark.parametrize("mode", Mode)
async def test_a_policy_round_trips_and_absence_changes_nothing(plane: Plane, mode: Mode) -> None:
    workspace = await plane.workspace()
    settings = plane.api.workspace_settings

    updated = (await settings.update(OWNER, workspace, f" {mode.value.upper()} ")).unwrap()
    untouched = (await settings.update(OWNER, workspace, None)).unwrap()

    assert updated.mode is mode
    assert untouched == updated == (await settings.read(OWNER, workspace)).unwrap()


@requirement("workspace:policy:copy")
async def test_a_copy_takes_the_policy_and_no_connection(plane: Plane) -> None:
    source, target = await plane.workspace("executor"), await plane.workspace()
    (await plane.connected(source)).unwrap()

    copied = (await plane.api.workspace_settings.copy(OWNER, source, target)).unwrap()

    assert (copied.mode, copied.connections) == (Mode.EXECUTOR, ())
    async with plane.store.read() as state:
        assert await state.connections(target) == []
        assert len(await state.sealed_values()) == 1
    assert await plane.mode(target) is Mode.EXECUTOR


async def test_a_copy_goes_from_one_workspace_to_another(plane: Plane) -> None:
    workspace = await plane.workspace()
    settings = plane.api.workspace_settings

    assert await settings.copy(OWNER, workspace, workspace) == Failure(SameWorkspace())
    assert await settings.copy(OWNER, workspace, NOWHERE) == Failure(NotFound("workspace"))
    assert await settings.copy(OWNER, NOWHERE, workspace) == Failure(NotFound("workspace"))


@requirement("session:person")
async def test_an_agent_neither_sees_nor_changes_a_policy(plane: Plane) -> None:
    workspace, target = await plane.workspace(), await plane.workspace("executor")
    settings = plane.api.workspace_settings
    missing = Failure(NotFound("workspace"))

    assert await settings.read(AGENT, workspace) == missing
    assert await settings.update(AGENT, workspace, "executor") == missing
    assert await settings.copy(AGENT, workspace, target) == missing
    assert await plane.api.register_workspace(AGENT, "Shop", None) == missing
    assert await plane.mode(workspace) is Mode.MANAGED


@pytest.mark.parametrize("name", ["", " ", "x" * (MAX_NAME + 1), "two\nlines"])
async def test_a_workspace_needs_a_name(plane: Plane, name: str) -> None:
    outcome = await plane.api.register_workspace(OWNER, name, None)

    assert failed(outcome)
    assert isinstance(outcome.failure(), InvalidName)
