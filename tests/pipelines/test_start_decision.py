"""With whose authority git works, cell by cell: launch and resume decide alike."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from domain.broker_contract import NAMES
from domain.connection import Status
from domain.outcome import failed
from domain.task import Task
from ports.runtime import LaunchSpec
from tests.pipelines.plane import Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

TOKEN = {"GITHUB_TOKEN": "ghp_chosen"}


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@dataclass(frozen=True)
class Cell:
    """A policy, the layer that holds a token, and what must come of them."""

    policy: str
    layer: str | None
    source: str
    transport: str

    @property
    def managed(self) -> bool:
        return self.source == "workspace"

    @property
    def request(self) -> Mapping[str, str]:
        return TOKEN if self.layer == "request" else {}


CELLS = [
    Cell("managed", None, "workspace", "managed_https"),
    Cell("managed", "agent defaults", "workspace", "managed_https"),
    Cell("managed", "agent profile", "executor_profile", "profile_token"),
    Cell("managed", "request", "executor_profile", "profile_token"),
    Cell("executor", None, "executor", "executor_selected"),
    Cell("executor", "agent defaults", "executor", "executor_selected"),
    Cell("executor", "agent profile", "executor_profile", "profile_token"),
    Cell("executor", "request", "executor_profile", "profile_token"),
]


@requirement("session:start:agree")
@pytest.mark.parametrize("repositories", [1, 2])
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.policy}-{cell.layer}")
async def test_launch_and_resume_agree(plane: Plane, cell: Cell, repositories: int) -> None:
    task = await cell_task(plane, cell, repositories)

    launched = (await plane.launched(task.id, environment=cell.request)).unwrap()
    await plane.stopped(launched)
    resumed = (await plane.resumed(launched.id, environment=cell.request)).unwrap()

    first, again = plane.runtime.launches
    assert given(first) == given(again)
    assert launched.metadata == resumed.metadata
    told = launched.metadata["git_credential_snapshot"]
    assert isinstance(told, dict)
    assert told == {
        "version": 1,
        "policy": cell.policy,
        "source": cell.source,
        "transport": cell.transport,
        "actor": "robot" if cell.managed else "runtime_selected",
        "executor_type": "worktree",
        "captured_at": "2026-01-02T03:04:05Z",
        **({"workspace_method": "git_token"} if cell.managed else {}),
    }


@requirement("session:start:agree")
@pytest.mark.parametrize("repositories", [1, 2])
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.policy}-{cell.layer}")
async def test_only_a_managed_cell_has_leases_and_each_repository_its_own(
    plane: Plane, cell: Cell, repositories: int
) -> None:
    task = await cell_task(plane, cell, repositories)

    session = (await plane.launched(task.id, environment=cell.request)).unwrap()

    [spec] = plane.runtime.launches
    leases = await plane.leases(session.execution)
    attached = [each.repository for each in task.repositories] if cell.managed else []
    assert sorted(each.scope.repository for each in leases) == sorted(attached)
    assert [each.repository for each in (spec.managed.leases if spec.managed else ())] == attached
    assert (spec.managed is not None) is cell.managed
    assert spec.removes >= NAMES


@requirement("session:start:agree")
@pytest.mark.parametrize("policy", ["managed", "executor"])
async def test_what_an_earlier_managed_access_left_is_taken_from_every_layer(
    plane: Plane, policy: str
) -> None:
    stale = {
        "KANDEV_BROKER_SOCKET": "/old.sock",
        "KEPT": "yes",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/hooks",
    }
    task = await cell_task(plane, Cell(policy, None, "", ""), 1)

    (await plane.launched(task.id, environment=stale)).unwrap()

    request = dict(plane.runtime.launches[0].layers[-1].variables)
    assert request == {name: value for name, value in stale.items() if name not in NAMES}


@requirement("session:start:agree")
async def test_a_connection_that_cannot_be_used_stops_launch_and_resume_alike(
    plane: Plane,
) -> None:
    task = await cell_task(plane, CELLS[0], 1)
    session = await plane.stopped((await plane.launched(task.id)).unwrap())
    async with plane.store.write() as unit:
        [connection] = await unit.connections(task.workspace)
        await unit.put_connection(replace(connection, status=Status.SUSPENDED), b"sealed")

    resumed = await plane.resumed(session.id)
    launched = await plane.launched(task.id)

    assert failed(resumed)
    assert failed(launched)
    assert resumed.failure() == launched.failure()
    assert len(plane.runtime.launches) == 1


async def cell_task(plane: Plane, cell: Cell, repositories: int) -> Task:
    here = plane.agents.installed[0]
    defaults = TOKEN if cell.layer == "agent defaults" else {}
    profile = TOKEN if cell.layer == "agent profile" else {}
    agent = replace(here.agent, environment=defaults, profile=profile)
    plane.agents.installed[0] = replace(here, agent=agent)
    workspace = await plane.workspace(cell.policy)
    (await plane.connected(workspace)).unwrap()
    attached = [
        (await plane.repository(workspace, name)).id for name in ("app", "library")[:repositories]
    ]
    return await plane.task(workspace, *attached)


def given(spec: LaunchSpec) -> object:
    """What an agent is given, without the names that are new each time."""
    managed = spec.managed and (
        spec.managed.hosts,
        [(each.repository, each.identity) for each in spec.managed.leases],
    )
    return (
        spec.agent,
        spec.program,
        spec.executor,
        spec.workspace,
        spec.checkouts,
        [(each.name, dict(each.variables), each.removes) for each in spec.layers],
        managed,
        spec.removes,
    )
