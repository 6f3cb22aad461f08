"""With whose authority git works: every policy, every place of a token, launch and resume alike.

The launch goes as far as the environment that agentctl composes from it, on a host that has a
token, an askpass program and a list for git of its own.
"""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import pytest

from adapters.agentctl.runtime import create
from adapters.agentctl.server import agent_environment
from adapters.agentctl.server.instance_sockets import Opened
from domain import git_config, managed_git
from domain.broker_contract import NAMES
from domain.git_config import Entry
from domain.outcome import failed
from domain.session import Session, SessionState
from domain.stored_environment import ChosenEnvironment
from domain.task import Task
from pipelines.session_profiles import Named
from ports.runtime import LaunchSpec, RuntimeCode, RuntimeProblem
from tests.pipelines.chosen import agent_profile, chosen, executor_profile, repository_has
from tests.pipelines.plane import HOST, Plane, plane_over
from tests.pipelines.rows import metadata_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

TOKEN = "ghp_chosen-for-this-launch"
LAYERS = ("executor profile", "agent profile", "agents.toml", "repository", "request")
AMBIENT = ("host", "agent defaults")
HOOKS = Entry("core.hooksPath", "/hooks")
TOOLS, HELPER = "/tools", f"/tools/{managed_git.HELPER_NAME}"
OPENED = Opened(dict.fromkeys(NAMES, "given"), TOOLS, HELPER)
ASKPASS = {"GIT_ASKPASS": "/askpass", "SSH_ASKPASS": "/askpass"}


@dataclass(frozen=True)
class Cell:
    """A policy, where a token was set, and how many repositories there are."""

    policy: str
    token: str | None
    repositories: int

    @property
    def name(self) -> str:
        return f"{self.policy}-{self.token}-{self.repositories}"

    @property
    def chosen(self) -> bool:
        return self.token in LAYERS

    @property
    def managed(self) -> bool:
        return self.policy == "managed" and not self.chosen

    @property
    def request(self) -> Mapping[str, str]:
        return {"GITHUB_TOKEN": TOKEN} if self.token == "request" else {}

    @property
    def told(self) -> Mapping[str, str]:
        """What the snapshot says of where the credential comes from."""
        if self.chosen:
            return {"source": "executor_profile", "transport": "profile_token"}
        if self.managed:
            return {"source": "workspace", "transport": "managed_https"}
        return {"source": "executor", "transport": "executor_selected"}


CELLS = [
    Cell(*each) for each in product(("managed", "executor"), (None, *AMBIENT, *LAYERS), (1, 2))
]
EACH_CELL = pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("session:start:agree")
@EACH_CELL
async def test_launch_and_resume_agree_in_every_cell(plane: Plane, cell: Cell) -> None:
    task, profiles = await arranged(plane, cell)

    launched = (await plane.launched(task.id, environment=cell.request, profiles=profiles)).unwrap()
    leases = await leased(plane, launched)
    await plane.stopped(launched)
    resumed = (await plane.resumed(launched.id, environment=cell.request)).unwrap()

    first, again = plane.runtime.launches
    assert given(first) == given(again)
    assert launched.metadata == resumed.metadata
    attached = [each.repository for each in task.repositories] if cell.managed else []
    assert leases == await leased(plane, resumed) == sorted(attached)
    assert launched.metadata["git_credential_snapshot"] == {
        "version": 1,
        "policy": cell.policy,
        **cell.told,
        "actor": "robot" if cell.managed else "runtime_selected",
        "executor_type": "worktree",
        "captured_at": "2026-01-02T03:04:05Z",
        **({"workspace_method": "git_token"} if cell.managed else {}),
    }


@requirement("session:start:agree")
@EACH_CELL
async def test_only_a_managed_cell_has_anything_of_ours_in_its_environment(
    plane: Plane, cell: Cell
) -> None:
    task, profiles = await arranged(plane, cell)

    (await plane.launched(task.id, environment=cell.request, profiles=profiles)).unwrap()

    [spec] = plane.runtime.launches
    environment = composed(spec, cell)
    entries = git_config.parse(environment).unwrap()
    ours = {name for name in environment if name in NAMES or name == "GIT_TERMINAL_PROMPT"}
    prompts = {name: environment.get(name) for name in ASKPASS}
    if cell.managed:
        helper = f"credential.https://{HOST}.helper"
        asked = [entry.value for entry in entries if entry.key == helper]
        assert asked[:2] == ["", f"!'{HELPER}'"]
        assert entries[0] == HOOKS
        assert ours == {*NAMES, "GIT_TERMINAL_PROMPT"}
        assert prompts == {"GIT_ASKPASS": "", "SSH_ASKPASS": None}
        assert environment["PATH"].startswith(TOOLS)
        assert TOKEN not in environment.values()
    else:
        assert spec.managed is None
        assert entries == (HOOKS,)
        assert ours == set()
        assert prompts == ASKPASS
        assert environment["PATH"] == "/usr/bin"
        assert (environment.get("GITHUB_TOKEN") == TOKEN) is (cell.token is not None)


@requirement("session:start:snapshot")
@EACH_CELL
async def test_a_cell_that_fails_leaves_snapshot_and_policy_as_they_were(
    plane: Plane, tmp_path: Path, cell: Cell
) -> None:
    task, profiles = await arranged(plane, cell)
    session = (await plane.launched(task.id, environment=cell.request, profiles=profiles)).unwrap()
    await plane.stopped(session)
    before = metadata_of(tmp_path, session.id)
    plane.runtime.refuses["launch"] = RuntimeProblem(RuntimeCode.AGENT_DIED, "it ended")

    resumed = await plane.resumed(session.id, environment=cell.request)
    launched = await plane.launched(task.id, environment=cell.request, profiles=profiles)

    assert failed(resumed)
    assert failed(launched)
    assert metadata_of(tmp_path, session.id) == before
    _, another = await plane.sessions(task.id)
    assert (another.state, another.metadata) == (SessionState.FAILED, {})
    assert await plane.mode(task.workspace) == cell.policy


async def arranged(plane: Plane, cell: Cell) -> tuple[Task, Named]:
    """A task in a workspace of this policy, with the token where the cell wants it."""
    here = plane.agents.installed[0]
    token = {"GITHUB_TOKEN": TOKEN}
    defaults = token if cell.token == "agent defaults" else {}
    named = token if cell.token == "agents.toml" else {}
    plane.agents.installed[0] = replace(
        here, agent=replace(here.agent, environment=defaults, profile=named)
    )
    workspace = await plane.workspace(cell.policy)
    (await plane.connected(workspace)).unwrap()
    names = ("app", "library")[: cell.repositories]
    attached = [(await plane.repository(workspace, name)).id for name in names]

    def holds(layer: str) -> ChosenEnvironment:
        return chosen({}, token) if cell.token == layer else chosen({"PLAIN": layer})

    await repository_has(plane, attached[-1], holds("repository"))
    agent = await agent_profile(plane, workspace, holds("agent profile"))
    executor = await executor_profile(plane, workspace, holds("executor profile"))
    task = await plane.task(workspace, *attached)
    return task, Named(agent.id, executor.id)


def composed(spec: LaunchSpec, cell: Cell) -> Mapping[str, str]:
    """The agent's environment, as agentctl makes it on a host that has credentials around."""
    host = {"PATH": "/usr/bin", **ASKPASS, **git_config.serialize([HOOKS])}
    if cell.token == "host":
        host["GITHUB_TOKEN"] = TOKEN
    opened = OPENED if spec.managed else None
    return agent_environment.compose(create(spec), host, opened, {}).unwrap().variables


async def leased(plane: Plane, session: Session) -> list[str]:
    """The repositories that the session's leases are for."""
    return sorted(each.scope.repository for each in await plane.leases(session.execution))


def given(spec: LaunchSpec) -> object:
    """What an agent is given, without the names that are new each time."""
    managed = spec.managed and (
        spec.managed.hosts,
        [(each.repository, each.identity) for each in spec.managed.leases],
    )
    return replace(spec, handle=None, acp_session=None, managed=managed)  # type: ignore[arg-type]  # to compare
