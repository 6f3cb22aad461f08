"""Git's list in the environment at every boundary that it crosses on its way to an agent."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from composition.client import ApiError
from domain import git_config
from domain.git_config import MAX_ENTRIES, Entry
from tests.e2e.agent import launched
from tests.e2e.kandev import Installation
from tests.e2e.test_conversation import processes_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

HOOKS = Entry("core.hookspath", "/no/hooks")
NOTES = Entry("notes.augment.mergestrategy", "cat_sort_uniq")
ONE, TWO = Entry("x.one", "1"), Entry("x.two", "")
SAFE = Entry("safe.directory", "/somewhere/else")
SCP = Entry("url.https://forge.example/.insteadof", "git@forge.example:")
SSH = Entry("url.https://forge.example/.insteadof", "ssh://git@forge.example/")
HOST = (HOOKS, NOTES)


@dataclass(frozen=True)
class Boundary:
    """What the process below holds, what the agent's profile adds, and what the request brings."""

    parent: tuple[Entry, ...]
    profile: tuple[Entry, ...]
    request: tuple[Entry, ...]
    result: tuple[Entry, ...]


BOUNDARIES = {
    "agent profile and request": Boundary(HOST, (ONE,), (TWO,), (*HOST, ONE, TWO)),
    "route override": Boundary(HOST, (), (ONE, TWO), (*HOST, ONE, TWO)),
    "container": Boundary(
        (SAFE, SCP, SSH, *HOST), (), (ONE, TWO), (SAFE, SCP, SSH, *HOST, ONE, TWO)
    ),
    "control process that holds the suffix": Boundary(
        (*HOST, ONE, TWO), (), (ONE, TWO), (*HOST, ONE, TWO)
    ),
}


@pytest.fixture(params=BOUNDARIES)
def boundary(request: pytest.FixtureRequest) -> Boundary:
    return BOUNDARIES[request.param]


def profiled(installation: Installation, name: str, profile: Mapping[str, str]) -> None:
    """Name an agent in the home, with an environment that its user chose."""
    words = [sys.executable, "-I", "-m", "adapters.scripted_agent"]
    rows = (f"{key} = {json.dumps(value)}" for key, value in profile.items())
    with (installation.home / "agents.toml").open("a", encoding="utf-8") as file:
        file.write(f"[agents.{name}]\ncommand = {json.dumps(words)}\n")
        file.write(f"environment = {{ {', '.join(rows)} }}\n")


@requirement("git-config:boundary:order")
@requirement("git-config:boundary:refused")
@requirement("git-config:boundary:bound")
async def test_a_list_crosses_a_boundary_whole_once_and_within_its_bound(
    tmp_path: Path, checkout: Path, boundary: Boundary
) -> None:
    """One server a boundary: starting it costs more than all the launches."""
    environment = git_config.serialize(boundary.parent)
    installation = Installation(tmp_path / "home", environment)
    profiled(installation, "profiled", git_config.serialize(boundary.profile))
    profiled(installation, "broken", {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "planted.key"})
    room = MAX_ENTRIES - len(boundary.parent) - len(boundary.profile)
    filling = [Entry("x.filling", str(number)) for number in range(room + 1)]

    async with installation.server() as kandev:
        await kandev.workspace_of()
        repository = await kandev.repository({"local_path": str(checkout)})

        async def sees(*request: Entry) -> list[Entry]:
            task = await kandev.task(repository)
            chosen = git_config.serialize(request)
            agent = await launched(
                kandev, task, tmp_path / "told", agent="profiled", environment=chosen
            )
            return await agent.git_sees()

        async def refuses(agent: str, request: Mapping[str, str]) -> str:
            """Why; nothing of the launch runs, and no worktree is there."""
            task = await kandev.task(repository)
            with pytest.raises(ApiError) as answered:
                await kandev.launch(task, agent=agent, environment=dict(request))
            sessions = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")
            assert answered.value.code == "malformed_environment"
            assert [each["state"] for each in sessions] == ["failed"]
            assert processes_of(sessions[0]["id"]) == []
            assert not (installation.home / "tasks" / task).exists()
            return answered.value.detail

        once = await sees(*boundary.request)
        twice = await sees(*boundary.result)
        full = await sees(*filling[:-1])
        past = await refuses("profiled", git_config.serialize(filling))
        missing = await refuses("profiled", {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "a.b"})
        profile = await refuses("broken", {})

    assert once == list(boundary.result)
    assert twice == once
    assert full == [*boundary.parent, *boundary.profile, *filling[:-1]]
    assert past.startswith("request: GIT_CONFIG_COUNT stands for more than 1024 entries")
    assert missing.startswith("request: GIT_CONFIG_VALUE_0 (entry 0)")
    assert profile.startswith("agent profile: GIT_CONFIG_VALUE_0 (entry 0)")
    assert "planted" not in profile
