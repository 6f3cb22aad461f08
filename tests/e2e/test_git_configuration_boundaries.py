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
from tests.e2e.kandev import Driver, Installation
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
    """What the process below holds, what the profiles and the repository add, and the request.

    `layers` are those that the entries of the result come from.
    """

    parent: tuple[Entry, ...]
    profile: tuple[Entry, ...]
    request: tuple[Entry, ...]
    result: tuple[Entry, ...]
    layers: tuple[str, ...]
    executor: tuple[Entry, ...] = ()
    repository: tuple[Entry, ...] = ()

    @property
    def stored(self) -> int:
        return len((*self.profile, *self.executor, *self.repository))


BOUNDARIES = {
    "agent profile and request": Boundary(
        HOST, (ONE,), (TWO,), (*HOST, ONE, TWO), ("host", "host", "agent profile Fast", "request")
    ),
    "route override": Boundary(
        HOST, (), (ONE, TWO), (*HOST, ONE, TWO), ("host", "host", "request", "request")
    ),
    "executor profile and repository": Boundary(
        HOST,
        (),
        (),
        (*HOST, ONE, TWO),
        ("host", "host", "executor profile Here", "repository project"),
        executor=(ONE,),
        repository=(TWO,),
    ),
    "container": Boundary(
        (SAFE, SCP, SSH, *HOST),
        (),
        (ONE, TWO),
        (SAFE, SCP, SSH, *HOST, ONE, TWO),
        (*["host"] * 5, "request", "request"),
    ),
    "control process that holds the suffix": Boundary(
        (*HOST, ONE, TWO), (), (ONE, TWO), (*HOST, ONE, TWO), ("host",) * 4
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


async def stored(kandev: Driver, repository: str, boundary: Boundary) -> dict[str, str]:
    """Store the profiles and the repository's variables; what a launch names."""
    common = {"workspace_id": kandev.workspace}
    agent = {
        **common,
        "name": "Fast",
        "agent": "demo",
        "environment": git_config.serialize(boundary.profile),
    }
    executor = {
        **common,
        "name": "Here",
        "environment": git_config.serialize(boundary.executor),
    }
    variables = {"environment": git_config.serialize(boundary.repository)}
    await kandev.client.put(f"/api/v1/repositories/{repository}/environment", variables)
    return {
        "agent_profile_id": (await kandev.client.post("/api/v1/agent-profiles", agent))["id"],
        "executor_profile_id": (await kandev.client.post("/api/v1/executor-profiles", executor))[
            "id"
        ],
    }


@requirement("git-config:boundary:order")
@requirement("profile:start")
@requirement("git-config:boundary:refused")
@requirement("git-config:boundary:bound")
async def test_a_list_crosses_a_boundary_whole_once_and_within_its_bound(
    tmp_path: Path, checkout: Path, boundary: Boundary
) -> None:
    """One server a boundary: starting it costs more than all the launches."""
    environment = git_config.serialize(boundary.parent)
    installation = Installation(tmp_path / "home", environment)
    profiled(installation, "broken", {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "planted.key"})
    room = MAX_ENTRIES - len(boundary.parent) - boundary.stored
    filling = [Entry("x.filling", str(number)) for number in range(room + 1)]

    async with installation.server() as kandev:
        await kandev.workspace_of()
        repository = await kandev.repository({"local_path": str(checkout)})
        profiles = await stored(kandev, repository, boundary)

        async def sees(*request: Entry) -> tuple[list[Entry], tuple[str, ...]]:
            """What git sees, and the layers that the explanation has for it."""
            task = await kandev.task(repository)
            chosen = git_config.serialize(request)
            agent = await launched(kandev, task, tmp_path / "told", environment=chosen, **profiles)
            asked = f"/api/v1/sessions/{agent.session}/git-configuration"
            explained = (await kandev.client.get(asked))["entries"]
            return await agent.git_sees(), tuple(each["layer"] for each in explained)

        async def refuses(request: Mapping[str, str], **options: str) -> str:
            """Why; nothing of the launch runs, and no worktree is there."""
            task = await kandev.task(repository)
            with pytest.raises(ApiError) as answered:
                await kandev.launch(task, environment=dict(request), **options)
            sessions = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")
            assert answered.value.code == "malformed_environment"
            assert [each["state"] for each in sessions] == ["failed"]
            assert processes_of(sessions[0]["id"]) == []
            assert not (installation.home / "tasks" / task).exists()
            return answered.value.detail

        once = await sees(*boundary.request)
        twice, _ = await sees(*boundary.result)
        full, _ = await sees(*filling[:-1])
        past = await refuses(git_config.serialize(filling), **profiles)
        malformed = {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "a.b"}
        missing = await refuses(malformed, **profiles)
        profile = await refuses({}, agent="broken")

    below = [*boundary.parent, *boundary.profile, *boundary.executor, *boundary.repository]
    assert once == (list(boundary.result), boundary.layers)
    assert twice == list(boundary.result)
    assert full == [*below, *filling[:-1]]
    assert past.startswith("request: GIT_CONFIG_COUNT stands for more than 1024 entries")
    assert missing.startswith("request: GIT_CONFIG_VALUE_0 (entry 0)")
    assert profile.startswith("agent profile: GIT_CONFIG_VALUE_0 (entry 0)")
    assert "planted" not in profile
