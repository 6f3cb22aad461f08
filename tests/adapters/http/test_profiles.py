"""Profiles and the variables of repositories over REST: whole, in pages, and without a secret."""

import pytest

from tests.adapters.http.conftest import Json, Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENTS, EXECUTORS = "/api/v1/agent-profiles", "/api/v1/executor-profiles"
VALUE = "kept-out-of-sight"
SERVERS: Json = [
    {
        "name": "files",
        "transport": "stdio",
        "command": "mcp-files",
        "arguments": ["--root", "."],
        "variables": ["TOKEN"],
        "url": "",
        "headers": {},
    },
    {
        "name": "docs",
        "transport": "http",
        "command": "",
        "arguments": [],
        "variables": [],
        "url": "https://mcp.example/v1",
        "headers": {"X-Key": "TOKEN"},
    },
]


async def agent_profile(web: Web, workspace: str, **fields: object) -> Json:
    body = {"workspace_id": workspace, "name": "Fast", "agent": "demo", **fields}
    return await web.ok("POST", AGENTS, body)


@requirement("profile:kept")
@requirement("profile:secret")
async def test_an_agent_profile_is_made_shown_listed_changed_and_deleted(web: Web) -> None:
    workspace = await web.workspace()
    fields: Json = {"model": "large", "system_prompt": "Be brief.", "mcp_servers": SERVERS}
    secrets = {"TOKEN": VALUE, "LATER": None}

    made = await agent_profile(web, workspace, environment={"A": "1"}, secrets=secrets, **fields)

    path = f"{AGENTS}/{made['id']}"
    wanted = {
        "id": made["id"],
        "workspace_id": workspace,
        "name": "Fast",
        "agent": "demo",
        **fields,
        "environment": {"A": "1"},
        "secrets": ["LATER", "TOKEN"],
        "missing_secrets": ["LATER"],
        "version": 0,
        "created_at": "2026-01-02T03:04:05Z",
    }
    assert made == wanted
    assert await web.ok("GET", path) == made
    assert await web.ok("GET", f"{AGENTS}?workspace_id={workspace}") == [made]

    change = {"version": 0, "name": "Slow", "agent": "demo", "secrets": {"TOKEN": None}}
    changed = await web.ok("PUT", path, change)
    assert (changed["name"], changed["model"], changed["version"]) == ("Slow", None, 1)
    assert (changed["secrets"], changed["missing_secrets"]) == (["TOKEN"], [])
    assert await web.refused("PUT", path, change) == (409, "profile_changed")
    assert await web.ok("DELETE", path) is None
    assert await web.refused("GET", path) == (404, "agent_profile_not_found")
    assert await web.refused("DELETE", path) == (404, "agent_profile_not_found")


@requirement("profile:kept")
async def test_an_executor_profile_is_made_shown_listed_changed_and_deleted(web: Web) -> None:
    workspace = await web.workspace()
    body = {"workspace_id": workspace, "name": "Here", "executor": "local"}

    made = await web.ok("POST", EXECUTORS, body)

    path = f"{EXECUTORS}/{made['id']}"
    assert (made["name"], made["executor"], made["environment"]) == ("Here", "local", {})
    assert await web.ok("GET", path) == made
    assert await web.ok("GET", f"{EXECUTORS}?workspace_id={workspace}") == [made]
    assert await web.refused("GET", f"{AGENTS}/{made['id']}") == (404, "agent_profile_not_found")
    changed = await web.ok("PUT", path, {"version": 0, "name": "There"})
    assert (changed["name"], changed["executor"], changed["version"]) == ("There", "worktree", 1)
    assert await web.ok("DELETE", path) is None
    assert await web.ok("GET", f"{EXECUTORS}?workspace_id={workspace}") == []


async def test_profiles_are_listed_in_pages(web: Web) -> None:
    workspace = await web.workspace()
    made = [await agent_profile(web, workspace, name=name) for name in ("A", "B", "C")]
    path = f"{AGENTS}?workspace_id={workspace}"

    assert await web.ok("GET", f"{path}&limit=2") == made[:2]
    assert await web.ok("GET", f"{path}&after={made[1]['id']}") == made[2:]
    assert await web.refused("GET", f"{path}&limit=101") == (400, "invalid_request")
    assert await web.refused("GET", f"{AGENTS}?workspace_id=none") == (404, "workspace_not_found")


@requirement("profile:refused")
@requirement("rest:problems")
@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"agent": "none"}, 404, "unknown_agent"),
        ({"name": "Taken"}, 409, "name_taken"),
        ({"name": ""}, 400, "invalid_name"),
        ({"model": ""}, 400, "invalid_profile"),
        ({"mcp_servers": [{"name": "a b", "command": "c"}]}, 400, "invalid_mcp_server"),
        ({"mcp_servers": [{"name": "a", "transport": "pipe"}]}, 400, "invalid_request"),
        ({"environment": {"=": VALUE}}, 400, "invalid_variable"),
        ({"environment": {"KANDEV_X": VALUE}}, 400, "unstorable_variable"),
        ({"secrets": {"A": "short"}}, 400, "unstorable_variable"),
        ({"secrets": {"A": VALUE}, "environment": {"A": VALUE}}, 400, "unstorable_variable"),
        ({"secrets": {str(n): None for n in range(65)}}, 400, "unstorable_variable"),
        ({"environment": {"A": "x" * 131072}}, 400, "unstorable_variable"),
        ({"environment": {"GIT_CONFIG_COUNT": VALUE}}, 409, "malformed_environment"),
        ({"scripts": {}}, 400, "invalid_request"),
    ],
)
async def test_a_profile_that_could_not_be_used_is_refused_with_a_code(
    web: Web, fields: Json, status: int, code: str
) -> None:
    workspace = await web.workspace()
    taken = await agent_profile(web, workspace, name="Taken")
    body = {"workspace_id": workspace, "name": "Fast", "agent": "demo", **fields}

    answer = await web.client.post(AGENTS, json=body)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert VALUE not in answer.text
    assert await web.ok("GET", f"{AGENTS}?workspace_id={workspace}") == [taken]


@requirement("profile:secret")
async def test_the_variables_of_a_repository_are_put_and_read(web: Web) -> None:
    task = await web.task()
    path = f"/api/v1/repositories/{task['repositories'][0]['repository_id']}/environment"
    nothing: Json = {"environment": {}, "secrets": [], "missing_secrets": []}
    stored = {"environment": {"A": ""}, "secrets": ["TOKEN"], "missing_secrets": []}

    assert await web.ok("GET", path) == nothing
    body = {"environment": {"A": ""}, "secrets": {"TOKEN": VALUE}}
    assert await web.ok("PUT", path, body) == stored
    assert await web.ok("GET", path) == stored
    assert await web.ok("PUT", path, {}) == nothing
    absent = "/api/v1/repositories/none/environment"
    assert await web.refused("PUT", absent, {}) == (404, "repository_not_found")


@requirement("profile:start")
async def test_a_session_starts_with_profiles_and_says_which(web: Web) -> None:
    task = await web.task()
    agent = await agent_profile(web, task["workspace_id"], environment={"A": "1"})
    body = {"workspace_id": task["workspace_id"], "name": "Here", "executor": "local"}
    executor = await web.ok("POST", EXECUTORS, body)
    chosen = {"agent_profile_id": agent["id"], "executor_profile_id": executor["id"]}
    sessions = f"/api/v1/tasks/{task['id']}/sessions"

    session = await web.ok("POST", sessions, {"prompt": "", **chosen})

    [spec] = web.plane.runtime.launches
    assert (session["agent"], spec.executor) == ("demo", "local")
    assert {name: session[name] for name in chosen} == chosen
    assert [each.name for each in spec.layers][2] == "agent profile Fast"
    assert await web.refused("POST", sessions, {"prompt": ""}) == (400, "invalid_request")


@requirement("profile:start:missing")
@requirement("profile:start:conflict")
@requirement("profile:start:deleted")
async def test_what_stops_a_start_has_a_code_and_no_value(web: Web) -> None:
    task = await web.task()
    workspace = task["workspace_id"]
    missing = await agent_profile(web, workspace, secrets={"TOKEN": None})
    secret = await agent_profile(web, workspace, name="Other", secrets={"TOKEN": VALUE})
    sessions = f"/api/v1/tasks/{task['id']}/sessions"

    async def told(body: Json) -> tuple[str, str]:
        problem = (await web.client.post(sessions, json={"prompt": "", **body})).json()
        return problem["code"], problem["detail"]

    assert await told({"agent_profile_id": missing["id"]}) == (
        "secret_missing",
        "agent profile Fast: the secret TOKEN has no value that can be opened.",
    )
    plain = {"agent_profile_id": secret["id"], "environment": {"TOKEN": "another-value"}}
    assert await told(plain) == (
        "conflicting_variable",
        "agent profile Other and request differ about TOKEN, and one of them means a secret.",
    )
    assert await told({"agent": "absent", "agent_profile_id": secret["id"]}) == (
        "other_agent",
        "The agent profile 'Other' is one of demo.",
    )
    assert await told({"agent_profile_id": "none"}) == (
        "agent_profile_not_found",
        "No such agent profile.",
    )
