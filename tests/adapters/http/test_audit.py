"""The audit log over REST: which deeds it tells of, and to whom."""

import json

import pytest

from domain.audit import Deed
from domain.principal import HOME_OWNER
from tests.adapters.http.conftest import Json, Web
from tests.adapters.http.test_accounts import (
    AUTH,
    INVITES,
    MEMBER,
    OWNER,
    PASSWORD,
    USERS,
    browsing,
    code_of,
)
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PATH = "/api/v1/audit"
SECRET = "value-of-a-secret-0123456789"


async def deeds(web: Web) -> list[tuple[str, str, str]]:
    return [(each["deed"], each["actor"], each["detail"]) for each in await web.ok("GET", PATH)]


@requirement("audit:told")
async def test_each_deed_is_told_of_once(web: Web) -> None:
    token = await web.ok(
        "POST", "/api/v1/tokens", {"name": "ci", "scopes": ["read"], "expires_in_days": 1}
    )
    await web.ok("DELETE", f"/api/v1/tokens/{token['token']['id']}")
    workspace = await web.workspace()
    connection = await web.connected(workspace)
    settings = {"workspace_id": workspace, "task_git_credentials_mode": "executor"}
    await web.ok("PUT", "/api/v1/github/workspace-settings", settings)
    await web.ok("PUT", "/api/v1/github/workspace-settings", settings)
    await web.ok("DELETE", f"/api/v1/workspaces/{workspace}/connections/{connection['id']}")
    await web.ok("DELETE", f"/api/v1/workspaces/{workspace}")
    await web.refused("DELETE", f"/api/v1/workspaces/{workspace}")

    home = "token:home"
    assert await deeds(web) == [
        ("token_made", home, "read"),
        ("token_revoked", home, ""),
        ("workspace_made", home, ""),
        ("connection_put", home, "git_token forge.example"),
        ("policy_changed", home, "executor"),
        ("connection_removed", home, ""),
        ("workspace_deleted", home, ""),
    ]


@requirement("audit:told")
async def test_what_is_done_to_accounts_is_told_without_what_was_typed(web: Web) -> None:
    async with browsing(web) as owner, browsing(web) as member:
        code = await code_of(web)
        await owner.send("POST", f"{AUTH}/setup", {**OWNER, "code": code})
        wrong = {"email": "somebody-else@example.org", "password": "typed by mistake"}
        await owner.send("POST", f"{AUTH}/login", wrong)
        await owner.send("POST", f"{AUTH}/login", {**wrong, "email": OWNER["email"]})
        unused = (await owner.send("POST", INVITES, {})).json()
        await owner.send("DELETE", f"{INVITES}/{unused['invitation']['id']}")
        made = (await owner.send("POST", INVITES, {})).json()
        await member.send("POST", f"{INVITES}/accept", {**MEMBER, "invitation": made["value"]})
        me = (await member.send("GET", f"{AUTH}/me")).json()["id"]
        shop = (await owner.send("POST", "/api/v1/workspaces", {"name": "Shop"})).json()["id"]
        base = f"/api/v1/workspaces/{shop}"
        await owner.send("POST", f"{base}/members", {"email": MEMBER["email"]})
        await owner.send("PUT", f"{base}/owner", {"user_id": me})
        await member.send("DELETE", f"{base}/members/owner")
        new = {"current": PASSWORD, "new": PASSWORD + "r"}
        await member.send("PUT", f"{AUTH}/password", new)
        await member.send("POST", f"{AUTH}/logout")
        right = {"email": MEMBER["email"], "password": new["new"]}
        await member.send("POST", f"{AUTH}/login", right)
        await owner.send("PUT", f"{USERS}/{me}", {"active": False})
        told = (await owner.send("GET", PATH)).json()

    assert [each["deed"] for each in told] == [
        "home_claimed",
        "sign_in_refused",
        "sign_in_refused",
        "invited",
        "invitation_revoked",
        "invited",
        "invitation_accepted",
        "workspace_made",
        "member_added",
        "workspace_handed_over",
        "password_changed",
        "sign_in_ended",
        "signed_in",
        "account_changed",
    ]
    assert {each["actor"] for each in told} == {"user:owner", f"user:{me}", "nobody"}
    refused = [each["subject"] for each in told if each["deed"] == "sign_in_refused"]
    assert refused == ["", "owner"]
    assert told[-1]["detail"] == "member, disabled"
    for typed in (*wrong.values(), PASSWORD, code, OWNER["email"], MEMBER["email"]):
        assert typed not in json.dumps(told)


@requirement("audit:readers")
async def test_a_member_reads_their_own_and_their_workspaces(web: Web) -> None:
    async with browsing(web) as owner, browsing(web) as member:
        await owner.send("POST", f"{AUTH}/setup", {**OWNER, "code": await code_of(web)})
        made = (await owner.send("POST", INVITES, {})).json()
        await member.send("POST", f"{INVITES}/accept", {**MEMBER, "invitation": made["value"]})
        await member.send("POST", "/api/v1/workspaces", {"name": "Mine"})
        told = (await member.send("GET", PATH)).json()
        of_owner = (await owner.send("GET", PATH)).json()

    assert [each["deed"] for each in told] == ["invitation_accepted", "workspace_made"]
    assert [each["deed"] for each in of_owner] == ["home_claimed", "invited", "invitation_accepted"]


@requirement("audit:readers")
async def test_a_token_with_limits_reads_none_of_it(web: Web) -> None:
    workspace = await web.workspace()
    body = {"name": "one", "scopes": ["read"], "expires_in_days": 1, "workspace_ids": [workspace]}
    made = await web.ok("POST", "/api/v1/tokens", body)
    headers = {"authorization": f"Bearer {made['value']}"}

    for path in (PATH, f"{PATH}/export"):
        answer = await web.client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "audit_not_found")


@requirement("audit:secrets")
async def test_the_secrets_that_an_execution_is_given_are_named(web: Web) -> None:
    task = await web.task()
    profile = {
        "workspace_id": task["workspace_id"],
        "name": "Fast",
        "agent": "demo",
        "environment": {"PLAIN": "seen"},
        "secrets": {"API_KEY": SECRET, "OTHER": SECRET},
    }
    key = (await web.ok("POST", "/api/v1/agent-profiles", profile))["id"]
    body = {"prompt": "", "agent_profile_id": key}
    session = await web.ok("POST", f"/api/v1/tasks/{task['id']}/sessions", body)

    exported = await web.client.get(f"{PATH}/export")
    told = [json.loads(line) for line in exported.text.splitlines()]
    [used] = [each for each in told if each["deed"] == "secrets_used"]

    assert used["actor"].startswith("execution:exec_")
    assert (used["subject"], used["workspace_id"]) == (session["id"], task["workspace_id"])
    assert used["detail"] == "agent profile Fast: API_KEY, OTHER"
    assert SECRET not in exported.text


@requirement("audit:export")
async def test_an_export_is_told_of_before_its_first_line(web: Web) -> None:
    first = await web.client.get(f"{PATH}/export")
    await web.client.get("/api/v1/ledger/export")
    async with web.plane.container.bundles():
        await web.ok("POST", "/api/v1/diagnostics/bundles", {"sources": ["backend"]})

    assert first.headers["content-type"].startswith("application/x-ndjson")
    assert [json.loads(line)["deed"] for line in first.text.splitlines()] == ["audit_exported"]
    page: Json = await web.ok("GET", PATH)
    assert [each["deed"] for each in page[1:]] == ["ledger_exported", "bundle_asked"]
    assert {each["user_id"] for each in page} == {HOME_OWNER}
    assert {each["deed"] for each in page} <= set(Deed)
