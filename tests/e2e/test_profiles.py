"""Profiles through whole processes: a secret that only the agent sees, and what stops a start."""

from pathlib import Path
from typing import Any

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from domain.broker_contract import NAMES
from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect
from tests.e2e.kandev import Installation
from tests.e2e.test_conversation import processes_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

VALUE = "ghp_kept-out-of-sight-0123456789"
PROFILES = "/api/v1/executor-profiles"


@requirement("profile:start")
@requirement("profile:secret")
@requirement("session:start:agree")
async def test_a_token_of_a_profile_wins_at_launch_and_resume_and_lies_nowhere(
    installation: Installation, forge: Forge, tmp_path: Path
) -> None:
    async with installation.server() as kandev:
        workspace = await connect(kandev, forge, TOKEN, "managed")
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        body = {"workspace_id": workspace, "name": "Here", "secrets": {"GITHUB_TOKEN": VALUE}}
        profile = (await kandev.client.post(PROFILES, body))["id"]
        agent = await launched(kandev, task, tmp_path / "told", executor_profile_id=profile)
        first = (await agent.environment(), await agent.git_sees())
        (agent.folder / "environment").unlink()
        await agent.runs("echo $GITHUB_TOKEN")
        told = (await kandev.session(agent.session))["metadata"]["git_credential_snapshot"]
        await kandev.stop(agent.session)
        await kandev.client.post(f"/api/v1/sessions/{agent.session}/resume", {})
        again = (await agent.environment(), await agent.git_sees())
        (agent.folder / "environment").unlink()

    environment, entries = first
    assert environment["GITHUB_TOKEN"] == VALUE
    assert NAMES.isdisjoint(environment)
    assert entries == []
    assert (again[0]["GITHUB_TOKEN"], again[1]) == (VALUE, [])
    assert (told["policy"], told["source"]) == ("managed", "executor_profile")
    files = [each for each in installation.home.rglob("*") if each.is_file()]
    assert [each for each in files if VALUE.encode() in each.read_bytes()] == []


@requirement("profile:start:missing")
@requirement("profile:start:conflict")
async def test_a_start_that_a_secret_stops_leaves_no_process_and_no_worktree(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        workspace = await kandev.workspace_of()
        repository = await kandev.repository({"local_path": str(checkout)})
        body = {"workspace_id": workspace, "name": "Here", "secrets": {"KEY": None}}
        profile = await kandev.client.post(PROFILES, body)

        async def refused(**options: Any) -> tuple[str, str]:
            task = await kandev.task(repository)
            with pytest.raises(ApiError) as answered:
                await kandev.launch(task, executor_profile_id=profile["id"], **options)
            [session] = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")
            assert (session["state"], session["execution_id"]) == ("failed", None)
            assert processes_of(session["id"]) == []
            assert not (installation.home / "tasks" / task).exists()
            return answered.value.code, answered.value.detail

        missing = await refused()
        change = {"version": 0, "name": "Here", "secrets": {"KEY": VALUE}}
        await kandev.client.put(f"{PROFILES}/{profile['id']}", change)
        conflict = await refused(environment={"KEY": "another-value"})

    assert missing == (
        "secret_missing",
        "executor profile Here: the secret KEY has no value that can be opened.",
    )
    assert conflict == (
        "conflicting_variable",
        "executor profile Here and request differ about KEY, and one of them means a secret.",
    )
