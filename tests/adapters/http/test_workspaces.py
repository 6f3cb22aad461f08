"""Workspaces, connections, repositories and the policy over REST."""

import pytest

from domain.connection import Kind
from domain.git_failure import GitCode, GitFailure
from tests.adapters.http.conftest import Web
from tests.pipelines.plane import HOST, SECRET, url_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SETTINGS = "/api/v1/github/workspace-settings"
CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


async def test_a_workspace_is_made_shown_listed_and_deleted(web: Web) -> None:
    made = await web.ok("POST", "/api/v1/workspaces", {"name": " Shop "})
    again = await web.ok("POST", "/api/v1/workspaces", {"name": "Other"})

    path = f"/api/v1/workspaces/{made['id']}"
    assert made["name"] == "Shop"
    assert made["task_git_credentials_mode"] == "managed"
    assert await web.ok("GET", path) == made
    assert await web.ok("GET", "/api/v1/workspaces") == [made, again]
    assert await web.ok("GET", f"/api/v1/workspaces?after={made['id']}") == [again]
    assert await web.ok("GET", "/api/v1/workspaces?limit=1") == [made]
    assert await web.ok("DELETE", path) is None
    assert await web.refused("GET", path) == (404, "workspace_not_found")
    assert await web.refused("DELETE", path) == (404, "workspace_not_found")


async def test_a_connection_is_shown_without_its_secret(web: Web) -> None:
    workspace = await web.workspace()

    made = await web.connected(workspace)

    assert made["host"] == HOST
    assert (made["method"], made["login"], made["status"]) == ("git_token", "robot", "active")
    assert made["has_certificate_authority"] is False
    path = f"/api/v1/workspaces/{workspace}/connections"
    assert await web.ok("GET", path) == [made]
    assert await web.ok("DELETE", f"{path}/{made['id']}") is None
    assert await web.ok("GET", path) == []
    assert await web.refused("DELETE", f"{path}/{made['id']}") == (404, "connection_not_found")


@requirement("rest:problems")
@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"token": "wrong-0123456789"}, 422, "token_refused"),
        ({"token": "two\nlines"}, 400, "invalid_connection"),
        ({"host": "no host"}, 400, "invalid_connection"),
        ({"login": "a:b"}, 400, "invalid_connection"),
        ({"method": "nothing"}, 400, "invalid_connection"),
        ({"method": Kind.GITHUB_APP.value}, 400, "invalid_connection"),
        ({"certificate_authority": "none"}, 400, "invalid_connection"),
        ({"probe_url": url_of("app", "other.example")}, 400, "probe_elsewhere"),
        ({"probe_url": "nothing"}, 400, "invalid_remote"),
        ({"token": None}, 400, "invalid_request"),
        ({"unknown": "field"}, 400, "invalid_request"),
    ],
)
async def test_a_connection_that_cannot_be_is_refused_with_a_code(
    web: Web, changed: dict[str, str | None], status: int, code: str
) -> None:
    workspace = await web.workspace()
    web.plane.git.remotes[url_of("app")] = "main"
    body = {"host": HOST, "token": SECRET, "probe_url": url_of("app"), **changed}

    answer = await web.client.put(f"/api/v1/workspaces/{workspace}/connections", json=body)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert str(changed.get("token") or SECRET) not in answer.text
    assert await web.ok("GET", f"/api/v1/workspaces/{workspace}/connections") == []


@requirement("rest:problems")
@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (GitFailure(GitCode.UNREACHABLE, "Connection refused"), 422),
        (GitFailure(GitCode.CERTIFICATE, "self-signed certificate"), 422),
    ],
)
async def test_a_forge_that_cannot_be_read_is_told_apart_from_a_token_that_is_refused(
    web: Web, failure: GitFailure, status: int
) -> None:
    workspace = await web.workspace()
    web.plane.git.refuses = failure
    body = {"host": HOST, "token": SECRET, "probe_url": url_of("app")}

    refused = await web.refused("PUT", f"/api/v1/workspaces/{workspace}/connections", body)

    assert refused == (status, failure.code.value)


async def test_a_repository_is_registered_and_listed(web: Web) -> None:
    workspace = await web.workspace()
    await web.connected(workspace)
    path = f"/api/v1/workspaces/{workspace}/repositories"

    made = await web.ok("POST", path, {"clone_url": url_of("app")})

    assert made == {
        "id": made["id"],
        "workspace_id": workspace,
        "name": "app",
        "clone_url": url_of("app"),
        "local_path": None,
        "host": HOST,
        "path": "/acme/app",
        "default_branch": "main",
    }
    assert await web.ok("GET", path) == [made]


@requirement("rest:one-of")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_request"),
        ({"clone_url": url_of("app"), "local_path": "/home/me/app"}, "invalid_request"),
        ({"clone_url": None, "local_path": None}, "invalid_request"),
        ({"local_path": "app"}, "relative_path"),
        ({"local_path": ""}, "relative_path"),
        ({"local_path": "/home\0/app"}, "relative_path"),
        ({"clone_url": ""}, "invalid_remote"),
        ({"clone_url": "http://forge.example/acme/app"}, "invalid_remote"),
    ],
)
async def test_a_repository_is_named_in_exactly_one_way(
    web: Web, body: dict[str, str | None], code: str
) -> None:
    workspace = await web.workspace()
    path = f"/api/v1/workspaces/{workspace}/repositories"

    assert await web.refused("POST", path, body) == (400, code)
    assert await web.ok("GET", path) == []


@requirement("rest:one-of")
async def test_the_contradiction_is_named(web: Web) -> None:
    workspace = await web.workspace()

    answer = await web.client.post(f"/api/v1/workspaces/{workspace}/repositories", json={})

    assert "exactly one of clone_url and local_path" in answer.json()["detail"]


@requirement("rest:settings")
async def test_the_policy_is_read_changed_and_left(web: Web) -> None:
    workspace = await web.workspace()
    await web.connected(workspace)
    path = f"{SETTINGS}?workspace_id={workspace}"

    first = await web.ok("GET", path)
    changed = await web.ok(
        "PUT", SETTINGS, {"workspace_id": workspace, "task_git_credentials_mode": "executor"}
    )
    left = await web.ok("PUT", SETTINGS, {"workspace_id": workspace})

    assert first["workspace_id"] == workspace
    assert first["task_git_credentials_mode"] == "managed"
    [told] = first["connections"]
    assert told | {"account": None} == {
        "host": HOST,
        "method": "git_token",
        "actor": "robot",
        "status": "active",
        "account": None,
    }
    assert changed == first | {"task_git_credentials_mode": "executor"}
    assert left == changed == await web.ok("GET", path)


@requirement("rest:settings")
@requirement("workspace:policy:unknown")
@pytest.mark.parametrize(
    ("mode", "code"),
    [("host", "unknown_policy"), ("", "unknown_policy"), (7, "invalid_request")],
)
@pytest.mark.parametrize("stored", ["managed", "executor"])
async def test_an_unknown_policy_changes_nothing(
    web: Web, stored: str, mode: object, code: str
) -> None:
    workspace = await web.workspace(task_git_credentials_mode=stored)
    body = {"workspace_id": workspace, "task_git_credentials_mode": mode}

    assert await web.refused("PUT", SETTINGS, body) == (400, code)
    shown = await web.ok("GET", f"{SETTINGS}?workspace_id={workspace}")
    assert shown["task_git_credentials_mode"] == stored


@requirement("rest:settings")
@requirement("workspace:policy:copy")
async def test_a_copy_answers_with_the_target(web: Web) -> None:
    source = await web.workspace(task_git_credentials_mode="executor")
    target = await web.workspace()
    await web.connected(source)
    path = f"{SETTINGS}/copy?workspace_id={source}"

    copied = await web.ok("POST", path, {"targetWorkspaceId": target})

    assert copied == await web.ok("GET", f"{SETTINGS}?workspace_id={target}")
    assert (copied["workspace_id"], copied["connections"]) == (target, [])
    assert copied["task_git_credentials_mode"] == "executor"
    assert await web.refused("POST", path, {"targetWorkspaceId": source}) == (400, "same_workspace")
    missing = {"targetWorkspaceId": "ws_none"}
    assert await web.refused("POST", path, missing) == (404, "workspace_not_found")


@requirement("rest:problems")
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"{SETTINGS}?workspace_id=ws_none", None),
        ("PUT", SETTINGS, {"workspace_id": "ws_none"}),
        ("GET", "/api/v1/workspaces/ws_none", None),
        ("GET", "/api/v1/workspaces/ws_none/connections", None),
        ("GET", "/api/v1/workspaces/ws_none/repositories", None),
        ("GET", "/api/v1/tasks?workspace_id=ws_none", None),
        ("POST", "/api/v1/workspaces/ws_none/repositories", {"clone_url": url_of("app")}),
        ("POST", "/api/v1/workspaces/ws_none/repositories", {"local_path": "/home/me/app"}),
        (
            "PUT",
            "/api/v1/workspaces/ws_none/connections",
            {"host": HOST, "token": SECRET, "probe_url": url_of("app")},
        ),
        (
            "POST",
            "/api/v1/tasks",
            {"workspace_id": "ws_none", "prompt": "Go.", "repositories": [{"repository_id": "r"}]},
        ),
    ],
)
async def test_a_workspace_that_is_not_there_is_not_found(
    web: Web, method: str, path: str, body: object
) -> None:
    assert await web.refused(method, path, body) == (404, "workspace_not_found")
