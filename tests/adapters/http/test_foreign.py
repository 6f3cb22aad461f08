"""What belongs to another user looks like what is not there, on every route that names anything."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

import httpx2
import pytest

from domain.access_token import AccessToken, Scope, digest, spell
from domain.identity import InquiryId, SessionId, TaskId, TokenId, UserId, WorkspaceId
from domain.inquiry import Choice, Inquiry, Question
from domain.principal import HOME_OWNER
from domain.step_report import StepReport, StepWords
from tests.account_examples import account_of
from tests.adapters.http.conftest import Json, Web
from tests.fakes.github import pem
from tests.pipelines.plane import HOST, SECRET, url_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

V1 = "/api/v1"
OPEN = {
    ("GET", "/health"),
    ("GET", "/metrics"),
    ("GET", f"{V1}/system/health"),
    ("GET", f"{V1}/agents"),
    ("GET", f"{V1}/workspaces"),
    ("POST", f"{V1}/workspaces"),
    ("GET", f"{V1}/tokens"),
    ("POST", f"{V1}/tokens"),
    ("DELETE", f"{V1}/tokens/{{token_id}}"),
    ("GET", f"{V1}/ledger"),
    ("GET", f"{V1}/ledger/export"),
    ("GET", f"{V1}/audit"),
    ("GET", f"{V1}/audit/export"),
    ("POST", f"{V1}/diagnostics/bundles"),
    ("GET", f"{V1}/diagnostics/capture-requests"),
    ("POST", f"{V1}/diagnostics/frontend-errors"),
}
"""What names nothing of a workspace; what these list is looked at below."""

ACCOUNTS = (f"{V1}/auth/", f"{V1}/users")
"""Of the user who asks, or for administrators: see the tests of accounts."""

OF_A_WORKSPACE = f"{V1}/workspaces/{{workspace_id}}"
OF_A_TASK = f"{V1}/tasks/{{task_id}}"
OF_A_SESSION = f"{V1}/sessions/{{session_id}}"
CONNECTION = {"host": HOST, "token": SECRET, "probe_url": url_of("app")}
AGENT_PROFILE = {"name": "Mine", "agent": "demo"}
PROMPT = {"name": "mine", "text": "Say so."}

BODIES: Mapping[tuple[str, str], Json] = {
    ("PUT", f"{OF_A_WORKSPACE}/connections"): CONNECTION,
    ("PUT", f"{OF_A_WORKSPACE}/connections/gh-account"): {
        "host": HOST,
        "login": "robot",
        "probe_url": url_of("app"),
    },
    ("PUT", f"{OF_A_WORKSPACE}/connections/github-app"): {
        "host": "github.com",
        "app_id": 1,
        "private_key": pem(),
        "probe_url": "https://github.com/acme/app.git",
    },
    ("PUT", f"{OF_A_WORKSPACE}/owner"): {"user_id": "stranger"},
    ("POST", f"{OF_A_WORKSPACE}/members"): {"email": "owner@example.org"},
    ("POST", f"{OF_A_WORKSPACE}/repositories"): {"clone_url": url_of("app")},
    ("PUT", f"{V1}/repositories/{{repository_id}}/environment"): {"environment": {"A": "b"}},
    ("PUT", f"{V1}/repositories/{{repository_id}}/settings"): {"copy_files": ".env"},
    ("POST", f"{V1}/agent-profiles"): {**AGENT_PROFILE, "workspace_id": "{workspace_id}"},
    ("PUT", f"{V1}/agent-profiles/{{profile_id}}"): {**AGENT_PROFILE, "version": 0},
    ("POST", f"{V1}/executor-profiles"): {"name": "Mine", "workspace_id": "{workspace_id}"},
    ("PUT", f"{V1}/executor-profiles/{{profile_id}}"): {"name": "Mine", "version": 0},
    ("POST", f"{V1}/github/workspace-settings/copy"): {"targetWorkspaceId": "{own_workspace}"},
    ("PUT", f"{V1}/github/workspace-settings"): {"workspace_id": "{workspace_id}"},
    ("POST", f"{V1}/tasks"): {
        "workspace_id": "{workspace_id}",
        "prompt": "Work.",
        "repositories": [{"repository_id": "{repository_id}"}],
    },
    ("POST", f"{OF_A_TASK}/sessions"): {"agent": "demo", "prompt": "Go."},
    ("POST", f"{OF_A_TASK}/state"): {"state": "done"},
    ("POST", f"{OF_A_SESSION}/permissions/{{request_id}}"): {"option_id": None},
    ("POST", f"{OF_A_SESSION}/prompt"): {"text": "Go."},
    ("POST", f"{OF_A_SESSION}/resume"): {},
    ("PUT", f"{OF_A_SESSION}/queue"): {"prompt_ids": []},
    ("POST", f"{OF_A_SESSION}/queue"): {"text": "Go."},
    ("PUT", f"{OF_A_SESSION}/queue/{{prompt_id}}"): {"text": "Go."},
    ("PUT", f"{OF_A_SESSION}/files/content"): {"path": "a", "content": "b"},
    ("POST", f"{OF_A_SESSION}/git/commit"): {"message": "Mine"},
    ("POST", f"{OF_A_SESSION}/git/discard"): {},
    ("POST", f"{OF_A_SESSION}/git/fetch"): {},
    ("POST", f"{OF_A_SESSION}/git/push"): {},
    ("POST", f"{OF_A_SESSION}/git/stage"): {},
    ("POST", f"{OF_A_SESSION}/git/unstage"): {},
    ("POST", f"{OF_A_SESSION}/processes"): {"command": "true"},
    ("POST", f"{OF_A_SESSION}/terminals"): {},
    ("POST", f"{V1}/diagnostics/bundles/{{bundle_id}}/frontend"): {
        "browser_id": "b",
        "capture_stream_id": "c",
        "chunk_index": 0,
        "done": True,
        "storage_mode": "memory",
        "entries": [],
    },
    ("POST", f"{V1}/questions/{{question_id}}/answer"): {"reject_reason": "no"},
    ("POST", f"{V1}/prompts"): {**PROMPT, "workspace_id": "{workspace_id}"},
    ("PUT", f"{V1}/prompts/{{prompt_id}}"): {**PROMPT, "version": 0},
}
QUERIES: Mapping[str, str] = {"workspace_id": "{workspace_id}", "path": "a", "text": "a"}


@dataclass
class Two:
    """The owner's client, that of another user, and what belongs to the first by name."""

    web: Web
    stranger: httpx2.AsyncClient
    names: Mapping[str, str]


@pytest.fixture
async def two(web: Web) -> AsyncIterator[Two]:
    session = await web.session()
    task = await web.ok("GET", f"{V1}/tasks/{session['task_id']}")
    workspace = str(task["workspace_id"])
    store, now = web.plane.store, web.plane.clock.now()
    shown = spell(b"s" * 32).reveal()
    async with store.write() as unit:
        await unit.put_account(account_of(UserId("stranger")))
        await unit.add_access_token(
            AccessToken(
                TokenId("tok_stranger"),
                UserId("stranger"),
                "theirs",
                digest(shown) or "",
                frozenset(Scope),
                now,
                now + timedelta(days=1),
            )
        )
        question = Question("1", "Shall it?", (Choice("Yes", ""), Choice("No", "")))
        await unit.put_inquiry(
            Inquiry(
                InquiryId("question_1"),
                TaskId(task["id"]),
                SessionId(session["id"]),
                "",
                (question,),
                now,
            )
        )
        await unit.put_report(
            StepReport(TaskId(task["id"]), SessionId(session["id"]), StepWords("Done."), now)
        )
    names = {
        "workspace_id": workspace,
        "connection_id": (await web.ok("GET", f"{V1}/workspaces/{workspace}/connections"))[0]["id"],
        "repository_id": task["repositories"][0]["repository_id"],
        "task_id": task["id"],
        "session_id": session["id"],
    }
    profile = {**AGENT_PROFILE, "workspace_id": workspace}
    names["profile_id"] = (await web.ok("POST", f"{V1}/agent-profiles", profile))["id"]
    executor = {"name": "Theirs", "workspace_id": workspace}
    names["executor_profile"] = (await web.ok("POST", f"{V1}/executor-profiles", executor))["id"]
    prompt = {**PROMPT, "workspace_id": workspace}
    names["prompt_id"] = (await web.ok("POST", f"{V1}/prompts", prompt))["id"]
    questions = await web.ok("GET", f"{V1}/workspaces/{workspace}/questions")
    names["question_id"] = questions[0]["id"]
    async with web.other(authorization=f"Bearer {shown}") as stranger:
        made = await stranger.post(f"{V1}/workspaces", json={"name": "Mine"})
        yield Two(web, stranger, {**names, "own_workspace": made.json()["id"]})


async def asked(two: Two, method: str, path: str, names: Mapping[str, str]) -> tuple[int, str]:
    """Status and text of the answer to the stranger, with what was named taken out."""
    operation = (method, path)
    own = {**names, "own_workspace": two.names["own_workspace"]}
    if "executor-profiles" in path:
        own["profile_id"] = own["executor_profile"]
    if "queue" in path:
        own["prompt_id"] = "queued_1"
    for missing in ("user_id", "request_id", "process_id", "terminal_id", "bundle_id", "name"):
        own.setdefault(missing, "stranger")
    body = filled(BODIES[operation], own) if operation in BODIES else None
    query = filled(QUERIES, own) if method == "GET" or path.endswith("/copy") else None
    answer = await two.stranger.request(method, path.format_map(own), json=body, params=query)
    text = answer.text
    for name in names.values():
        text = text.replace(name, "NAME")
    return answer.status_code, text


def filled(value: Json, names: Mapping[str, str]) -> Json:
    if isinstance(value, Mapping):
        return {key: filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, names) for each in value]
    return value.format_map(names) if isinstance(value, str) else value


async def operations(web: Web) -> list[tuple[str, str]]:
    document = await web.ok("GET", f"{V1}/schema/openapi.json")
    return [
        (method.upper(), path)
        for path, item in document["paths"].items()
        for method in item
        if (method.upper(), path) not in OPEN and not path.startswith(ACCOUNTS)
    ]


@requirement("workspace:foreign")
async def test_what_is_anothers_looks_on_every_route_like_what_is_not_there(two: Two) -> None:
    nothing = {name: f"{value[:3]}_unknown" for name, value in two.names.items()}
    looked = await operations(two.web)
    told = {
        each: (await asked(two, *each, two.names), await asked(two, *each, nothing))
        for each in looked
    }

    assert len(looked) > 80
    assert set(BODIES) <= set(looked)
    for operation, (foreign, unknown) in told.items():
        assert foreign == unknown, operation
        assert foreign[0] == 404, (operation, foreign)


@requirement("workspace:foreign")
async def test_nothing_of_anothers_is_changed_or_listed(two: Two) -> None:
    looked = [each for each in await operations(two.web) if each[0] != "HEAD"]
    before = await shown(two, looked)

    for each in looked:
        await asked(two, *each, two.names)
    listed = [
        (await two.stranger.get(path)).text
        for path in (
            f"{V1}/workspaces",
            f"{V1}/tokens",
            f"{V1}/ledger",
            f"{V1}/ledger/export",
            f"{V1}/audit",
            f"{V1}/audit/export",
        )
    ]

    assert await shown(two, looked) == before
    assert [each["id"] for each in (await two.stranger.get(f"{V1}/workspaces")).json()] == [
        two.names["own_workspace"]
    ]
    for text in listed:
        assert not any(name in text for key, name in two.names.items() if key != "own_workspace")


async def shown(two: Two, looked: list[tuple[str, str]]) -> list[str]:
    """What the owner reads of all that a path names."""
    return [
        (await two.web.client.get(path.format_map(two.names))).text
        for method, path in looked
        if method == "GET"
        and path.count("{") == 1
        and path.split("{")[1].split("}")[0] in two.names
        if not path.endswith("/events")
    ]


@requirement("workspace:members")
async def test_a_member_sees_what_the_owner_sees_until_it_is_let_go(two: Two) -> None:
    workspace = two.names["workspace_id"]
    members = f"{V1}/workspaces/{workspace}/members"
    paths = [f"{V1}/workspaces/{workspace}", f"{V1}/tasks/{two.names['task_id']}"]

    await two.web.ok("POST", members, {"email": "stranger@example.org"})
    seen = [(await two.stranger.get(path)).status_code for path in paths]
    listed = await two.stranger.get(f"{V1}/workspaces")
    among = await two.stranger.get(members)
    await two.web.ok("DELETE", f"{members}/stranger")

    assert seen == [200, 200]
    assert workspace in {each["id"] for each in listed.json()}
    assert [each["user_id"] for each in among.json()] == ["stranger"]
    assert {(await two.stranger.get(path)).status_code for path in paths} == {404}


@requirement("workspace:owner-only")
async def test_a_member_has_not_the_owners_keys(two: Two) -> None:
    workspace = two.names["workspace_id"]
    base = f"{V1}/workspaces/{workspace}"
    await two.web.ok("POST", f"{base}/members", {"email": "stranger@example.org"})
    ways = [
        ("DELETE", base, None),
        ("PUT", f"{base}/connections", CONNECTION),
        ("DELETE", f"{base}/connections/{two.names['connection_id']}", None),
        ("POST", f"{base}/members", {"email": "friend@example.org"}),
        ("DELETE", f"{base}/members/owner", None),
        ("PUT", f"{base}/owner", {"user_id": "stranger"}),
        (
            "PUT",
            f"{V1}/github/workspace-settings",
            {"workspace_id": workspace, "task_git_credentials_mode": "executor"},
        ),
    ]

    refused = [await two.stranger.request(method, path, json=body) for method, path, body in ways]

    assert {(each.status_code, each.json()["code"]) for each in refused} == {(403, "owner_only")}
    async with two.web.plane.store.read() as state:
        kept = await state.workspace(WorkspaceId(workspace))
    assert kept is not None
    assert kept.owner == HOME_OWNER


@requirement("token:limits")
async def test_a_token_with_limits_opens_those_workspaces_alone(two: Two) -> None:
    inside, beside = two.names["workspace_id"], await two.web.workspace()
    body = {
        "name": "one",
        "scopes": ["read", "write"],
        "expires_in_days": 1,
        "workspace_ids": [inside],
    }
    made = await two.web.ok("POST", f"{V1}/tokens", body)
    headers = {"authorization": f"Bearer {made['value']}"}

    async def status(method: str, path: str, body: Json = None) -> int:
        answer = await two.web.client.request(method, path, json=body, headers=headers)
        return answer.status_code

    listed = await two.web.client.get(f"{V1}/workspaces", headers=headers)
    ledger = await two.web.client.get(f"{V1}/ledger", headers=headers)

    assert made["token"]["workspace_ids"] == [inside]
    assert [each["id"] for each in listed.json()] == [inside]
    assert {each["workspace_id"] for each in ledger.json()} == {inside}
    assert await status("GET", f"{V1}/workspaces/{inside}") == 200
    assert await status("GET", f"{V1}/workspaces/{beside}") == 404
    assert await status("POST", f"{V1}/workspaces", {"name": "Wider"}) == 404
    assert await status("POST", f"{V1}/diagnostics/bundles", {"sources": ["backend"]}) == 404
    foreign = {**body, "workspace_ids": [two.names["own_workspace"]]}
    assert await two.web.refused("POST", f"{V1}/tokens", foreign) == (404, "workspace_not_found")
    none = {**body, "workspace_ids": []}
    assert await two.web.refused("POST", f"{V1}/tokens", none) == (400, "invalid_limits")
