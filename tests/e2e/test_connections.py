"""Kinds of connections whose credential is made when it is used: through whole processes."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect, outcomes, push, shown
from tests.e2e.kandev import Installation
from tests.fakes.gh import FakeGh
from tests.fakes.github import APP_ID, FakeGithub, pem
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@pytest.fixture
def gh(installation: Installation, tmp_path: Path) -> FakeGh:
    made = FakeGh(tmp_path / "host bin")
    installation.environment["PATH"] = f"{made.directory}:{installation.environment['PATH']}"
    return made


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGithub]:
    with FakeGithub(tmp_path / "github") as running:
        running.create("acme/app", {"README.md": "# App\n"})
        yield running


@requirement("connection:gh:exact")
@requirement("connection:validated")
async def test_a_named_account_of_gh_pushes_for_the_agent(
    installation: Installation, forge: Forge, gh: FakeGh
) -> None:
    gh.sign_in(forge.host, "alice", TOKEN)
    gh.sign_in(forge.host, "mallory", "a-token-that-the-forge-refuses")
    body = {
        "host": forge.host,
        "probe_url": forge.url("acme/app"),
        "certificate_authority": forge.authority,
    }
    async with installation.server() as kandev:
        path = f"/api/v1/workspaces/{await kandev.workspace_of()}/connections"
        made = await kandev.client.put(f"{path}/gh-account", {**body, "login": "alice"})
        codes = []
        for login in ("nobody", "mallory"):
            with pytest.raises(ApiError) as refused:
                await kandev.client.put(f"{path}/gh-account", {**body, "login": login})
            codes.append(refused.value.code)
        kept = await kandev.client.get(path)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        session = await kandev.launch(task)
        events = await kandev.turn(session["id"], push("one"))
        entries = await kandev.client.get(f"/api/v1/ledger?session_id={session['id']}")

    assert codes == ["gh_account_missing", "token_refused"]
    assert kept == [made]
    assert (made["method"], made["login"]) == ("gh_cli", "alice")
    assert outcomes(events) == ["complete", "complete"]
    snapshot = session["metadata"]["git_credential_snapshot"]
    assert (snapshot["workspace_method"], snapshot["actor"]) == ("gh_cli", "alice")
    assert {each["actor"] for each in entries} == {"alice"}
    asked = [call for call in gh.calls if call.endswith("--user alice")]
    assert asked == [f"auth token --hostname {forge.host} --user alice"] * len(asked)
    assert len(asked) == 2, "once to validate, once under the stored revision"


@requirement("connection:gh:exact")
async def test_an_account_that_was_signed_out_stops_a_launch_by_name_and_no_other_stands_in(
    installation: Installation, forge: Forge, gh: FakeGh
) -> None:
    gh.sign_in(forge.host, "alice", TOKEN)
    gh.sign_in(forge.host, "mallory", TOKEN)
    body = {
        "host": forge.host,
        "login": "alice",
        "probe_url": forge.url("acme/app"),
        "certificate_authority": forge.authority,
    }
    async with installation.server() as kandev:
        path = f"/api/v1/workspaces/{await kandev.workspace_of()}/connections"
        await kandev.client.put(f"{path}/gh-account", body)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
    gh.sign_out(forge.host, "alice")
    asked, seen = len(gh.calls), len(forge.seen())
    async with installation.server() as kandev:
        with pytest.raises(ApiError) as refused:
            await kandev.launch(task)

    assert refused.value.code == "gh_account_missing"
    assert f"alice at {forge.host}" in str(refused.value)
    assert all(call.endswith("--user alice") for call in gh.calls[asked:])
    assert forge.seen()[seen:] == []


@requirement("connection:app:token")
@requirement("connection:validated")
async def test_a_github_app_pushes_for_the_agent_across_the_expiry_of_its_token(
    installation: Installation, github: FakeGithub
) -> None:
    github.life = timedelta(minutes=4)
    body = {
        "host": github.host,
        "app_id": APP_ID,
        "private_key": pem(),
        "client_secret": "client-secret-0123456789",
        "webhook_secret": "webhook-secret-0123456789",
        "probe_url": github.url("acme/app"),
        "certificate_authority": github.authority,
    }
    async with installation.server() as kandev:
        path = f"/api/v1/workspaces/{await kandev.workspace_of()}/connections"
        made = await kandev.client.put(f"{path}/github-app", body)
        with pytest.raises(ApiError) as refused:
            await kandev.client.put(f"{path}/github-app", {**body, "app_id": 1})
        kept = await kandev.client.get(path)
        settings = await kandev.client.get(
            f"/api/v1/github/workspace-settings?workspace_id={kandev.workspace}"
        )
        task = await kandev.task(await kandev.repository({"clone_url": github.url("acme/app")}))
        session = await kandev.launch(task)
        first = await kandev.turn(session["id"], push("one"))
        minted = len(github.minted)
        github.token = "expired: only another mint brings one that is taken"
        second = await kandev.turn(session["id"], push("two"), first[-1]["sequence"])

    assert refused.value.code == "credential_source_refused"
    assert kept == [made]
    assert settings["connections"] == [
        {
            "host": github.host,
            "method": "github_app_installation",
            "actor": "Kandev Bot",
            "status": "active",
            "account": "acme",
        }
    ]
    assert "PRIVATE KEY" not in shown([made, settings, session])
    assert "secret-0123456789" not in shown([made, settings, session])
    assert (outcomes(first), outcomes(second)) == (["complete"] * 2, ["complete"] * 2)
    assert len(github.minted) > minted
    snapshot = session["metadata"]["git_credential_snapshot"]
    assert snapshot["workspace_method"] == "github_app_installation"
    assert snapshot["actor"] == "Kandev Bot"


async def test_a_token_is_not_connected_as_a_kind_that_is_no_token(
    installation: Installation, forge: Forge
) -> None:
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        with pytest.raises(ApiError) as refused:
            await kandev.client.put(
                f"/api/v1/workspaces/{kandev.workspace}/connections",
                {
                    "host": forge.host,
                    "token": TOKEN,
                    "method": "gh_cli",
                    "login": "alice",
                    "probe_url": forge.url("acme/app"),
                },
            )

    assert refused.value.code == "invalid_connection"
