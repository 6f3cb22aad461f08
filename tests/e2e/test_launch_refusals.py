"""What a managed launch refuses, and what it leaves when it does: through whole processes."""

from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect
from tests.e2e.kandev import Driver, Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

SETTINGS = "/api/v1/github/workspace-settings"


async def refused(kandev: Driver, task: str, **options: object) -> ApiError:
    with pytest.raises(ApiError) as problem:
        await kandev.launch(task, "demo", **options)
    sessions = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")
    assert sessions[-1]["state"] == "failed"
    assert sessions[-1]["failure"]["code"] == problem.value.code
    assert "git_credential_snapshot" not in sessions[-1]["metadata"]
    return problem.value


@requirement("launch:netrc")
async def test_a_netrc_for_a_managed_host_stops_launch_and_resume_until_it_is_accepted(
    installation: Installation, forge: Forge
) -> None:
    netrc = installation.home / ".netrc"
    async with installation.server() as kandev:
        workspace = await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        netrc.write_text("machine 127.0.0.1 login a password ambient-0123456789\n")
        problem = await refused(kandev, task)
        entries = await kandev.client.get("/api/v1/ledger?operation=revoke")

        body = {"workspace_id": workspace, "accept_ambient_netrc": True}
        settings = await kandev.client.put(SETTINGS, body)
        session = (await kandev.launch(task))["id"]
        report = await kandev.client.get(f"/api/v1/sessions/{session}/credential-doctor")
        await kandev.stop(session)
        before = (await kandev.session(session))["metadata"]

        await kandev.client.put(SETTINGS, {**body, "accept_ambient_netrc": False})
        netrc.write_text("default login a password ambient-0123456789\n")
        with pytest.raises(ApiError) as resumed:
            await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})
        after = (await kandev.session(session))["metadata"]

    assert problem.code == "ambient_netrc"
    assert "127.0.0.1" in problem.detail
    assert "accept_ambient_netrc" in problem.remedy
    assert "ambient-0123456789" not in str(problem)
    assert [each["detail"] for each in entries] == ["start_failed"]
    assert settings["accept_ambient_netrc"] is True
    assert settings["task_git_credentials_mode"] == "managed"
    assert "netrc" in {each["channel"] for each in report["channels"]}
    assert resumed.value.code == "ambient_netrc"
    assert "default" in resumed.value.detail
    assert after == before


@requirement("launch:netrc")
async def test_under_the_executor_a_netrc_is_the_users_own_affair(
    installation: Installation, forge: Forge
) -> None:
    (installation.home / ".netrc").write_text("default login a password b\n")
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN, "executor")
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        session = await kandev.launch(task)

    assert session["metadata"]["git_credential_snapshot"]["source"] == "executor"


@requirement("launch:git")
async def test_an_old_git_on_the_path_of_the_agent_stops_the_launch(
    installation: Installation, forge: Forge, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "git").write_text("#!/bin/sh\necho git version 2.30.9\n")
    (old / "git").chmod(0o755)
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        environment = {"PATH": f"{old}:{installation.environment['PATH']}"}
        problem = await refused(kandev, task, environment=environment)

    assert problem.code == "git_too_old"
    assert "2.30" in problem.detail
    assert "2.31" in problem.detail
