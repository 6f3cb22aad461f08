"""Tasks and sessions over REST: launch, talk, stop, resume, and what is refused."""

import pytest

from domain.event import EventKind, ExecutionEvent
from domain.task import MAX_PROMPT_BYTES
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.adapters.http.conftest import Json, Web
from tests.pipelines.plane import SECRET
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

UNREACHABLE = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")
DIED = RuntimeProblem(RuntimeCode.AGENT_DIED, "the agent ended", "its last words")


async def test_a_task_is_shown_listed_archived_and_deleted(web: Web) -> None:
    task = await web.task()

    path = f"/api/v1/tasks/{task['id']}"
    listed = f"/api/v1/tasks?workspace_id={task['workspace_id']}"
    assert (task["title"], task["prompt"], task["state"]) == ("Work.", "Work.", "open")
    assert await web.ok("GET", path) == task
    assert await web.ok("GET", listed) == [task]
    assert await web.ok("GET", f"{listed}&after={task['id']}") == []
    assert (await web.ok("POST", f"{path}/archive"))["state"] == "archived"
    assert await web.refused("POST", f"{path}/sessions", {"agent": "demo"}) == (
        409,
        "task_archived",
    )
    assert await web.ok("DELETE", path) is None
    assert await web.refused("GET", path) == (404, "task_not_found")
    assert await web.refused("GET", f"{path}/sessions") == (404, "task_not_found")


async def test_a_launch_begins_the_first_turn_with_the_prompt_of_the_task(web: Web) -> None:
    task = await web.task()
    path = f"/api/v1/tasks/{task['id']}/sessions"

    session = await web.ok("POST", path, {"agent": "demo"})

    shown = await web.ok("GET", f"/api/v1/sessions/{session['id']}")
    [turn] = await web.ok("GET", f"/api/v1/sessions/{session['id']}/turns")
    assert session == shown | {"prompt_problem": None}
    assert (session["state"], session["failure"]) == ("running", None)
    assert (turn["prompt"], turn["generation"], turn["state"]) == ("Work.", 1, "running")
    assert await web.ok("GET", path) == [shown]


async def test_a_launch_may_have_a_prompt_of_its_own_or_none(web: Web) -> None:
    own = await web.ok(
        "POST",
        f"/api/v1/tasks/{(await web.task())['id']}/sessions",
        {"agent": "demo", "prompt": "Mine."},
    )
    none = await web.session()

    [turn] = await web.ok("GET", f"/api/v1/sessions/{own['id']}/turns")
    assert turn["prompt"] == "Mine."
    assert (none["state"], none["prompt_problem"]) == ("idle", None)
    assert await web.ok("GET", f"/api/v1/sessions/{none['id']}/turns") == []


@requirement("rest:launch")
async def test_a_session_whose_prompt_is_not_taken_is_not_lost(web: Web) -> None:
    task = await web.task()
    web.plane.runtime.refuses["prompt"] = UNREACHABLE

    session = await web.ok("POST", f"/api/v1/tasks/{task['id']}/sessions", {"agent": "demo"})

    assert session["state"] == "idle"
    assert session["prompt_problem"]["code"] == "agentctl_unreachable"
    assert session["prompt_problem"]["status"] == 503
    [turn] = await web.ok("GET", f"/api/v1/sessions/{session['id']}/turns")
    assert (turn["state"], turn["error"]) == ("failed", UNREACHABLE.detail)
    web.plane.runtime.refuses.clear()
    again = await web.ok("POST", f"/api/v1/sessions/{session['id']}/prompt", {"text": "Again."})
    assert again["generation"] == 2


@requirement("session:turn:evidence")
async def test_a_turn_shows_why_it_failed_and_what_it_left(web: Web) -> None:
    session = await web.session()
    path = f"/api/v1/sessions/{session['id']}"
    running = (await web.client.post(f"{path}/prompt", json={"text": "Go."})).json()
    left = {
        "repository_id": "r1",
        "head_before": None,
        "head_after": "c1",
        "dirty": {"count": 2, "files": ["file"]},
        "unpushed": "unknown",
    }
    blind = {**left, "head_after": "unknown", "dirty": "unknown", "unpushed": 3}
    body: Json = {"state": "failed", "reason": "rate_limited", "evidence": [left, blind]}
    execution = await web.plane.execution(session["execution_id"])
    ending = ExecutionEvent(1, web.plane.clock.now(), EventKind.COMPLETE, 1, body)
    await web.plane.container.follow().record(execution.handle, [ending])

    [turn] = await web.ok("GET", f"{path}/turns")

    assert (running["reason"], running["retryable"], running["evidence"]) == (
        None,
        False,
        "unknown",
    )
    assert (turn["reason"], turn["retryable"]) == ("rate_limited", True)
    assert turn["evidence"] == [left, blind]


@requirement("rest:launch")
@pytest.mark.parametrize("prompt", [" ", "x" * (MAX_PROMPT_BYTES + 1)])
async def test_a_prompt_that_no_turn_can_have_is_refused_before_anything_starts(
    web: Web, prompt: str
) -> None:
    task = await web.task()
    path = f"/api/v1/tasks/{task['id']}/sessions"

    refused = await web.refused("POST", path, {"agent": "demo", "prompt": prompt})

    assert refused == (400, "invalid_prompt")
    assert await web.ok("GET", path) == []
    assert web.plane.runtime.launches == []


@requirement("rest:problems")
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"agent": "nobody"}, 404, "unknown_agent"),
        ({"agent": "absent"}, 409, "agent_not_installed"),
        ({"agent": "demo", "environment": {"A=": "1"}}, 400, "invalid_variable"),
        ({"agent": "demo", "environment": {"A": "\0"}}, 400, "invalid_variable"),
        ({"agent": "demo", "environment": {"GIT_CONFIG_COUNT": "x"}}, 409, "malformed_environment"),
        ({"agent": "demo", "executor": "moon"}, 400, "invalid_request"),
        ({"agent": 7}, 400, "invalid_request"),
        ({}, 400, "invalid_request"),
        ([], 400, "invalid_request"),
        (None, 400, "invalid_request"),
    ],
)
async def test_a_launch_that_cannot_be_is_refused_with_a_code(
    web: Web, body: object, status: int, code: str
) -> None:
    task = await web.task()

    refused = await web.refused("POST", f"/api/v1/tasks/{task['id']}/sessions", body)

    assert refused == (status, code)


@requirement("rest:problems")
@pytest.mark.parametrize(
    ("problem", "status"),
    [(DIED, 502), (UNREACHABLE, 503), (RuntimeProblem(RuntimeCode.DISK_FULL, "full"), 507)],
)
async def test_a_launch_that_fails_says_why_here_and_on_the_session(
    web: Web, problem: RuntimeProblem, status: int
) -> None:
    task = await web.task()
    web.plane.runtime.refuses["launch"] = problem
    path = f"/api/v1/tasks/{task['id']}/sessions"

    answer = await web.client.post(path, json={"agent": "demo"})

    [session] = await web.ok("GET", path)
    told = answer.json()
    assert (answer.status_code, told["code"]) == (status, problem.code.value)
    assert problem.detail in told["detail"]
    assert problem.stderr in told["detail"]
    assert told["remedy"]
    assert session["state"] == "failed"
    assert session["failure"] == {"code": problem.code.value, "detail": problem.detail}


@requirement("rest:problems")
async def test_a_busy_task_names_the_session_that_works_on_it(web: Web) -> None:
    session = await web.session()

    answer = await web.client.post(
        f"/api/v1/tasks/{session['task_id']}/sessions", json={"agent": "demo"}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "task_busy")
    assert session["id"] in answer.json()["detail"]


async def test_a_session_is_talked_to_stopped_and_resumed(web: Web) -> None:
    session = await web.session()
    path = f"/api/v1/sessions/{session['id']}"

    turn = await web.client.post(f"{path}/prompt", json={"text": "Go."})
    busy = await web.refused("POST", f"{path}/prompt", {"text": "And this."})
    cancelled = await web.client.post(f"{path}/cancel")
    answered = await web.ok("POST", f"{path}/permissions/ask-1", {"option_id": "allow"})
    stopping = await web.ok("POST", f"{path}/stop")
    await finish(web, session)
    stopped = await web.ok("GET", path)
    resumed = await web.ok("POST", f"{path}/resume", {"environment": {"A": "1"}})

    assert (turn.status_code, turn.json()["state"]) == (202, "running")
    assert busy == (409, "session_state")
    assert (cancelled.status_code, cancelled.json()["state"]) == (202, "running")
    assert answered["state"] == "running"
    assert stopping["state"] == "stopping"
    assert (stopped["state"], resumed["state"]) == ("stopped", "idle")
    assert resumed["execution_id"] != stopped["execution_id"]


@requirement("rest:problems")
@pytest.mark.parametrize(
    ("method", "rest", "body"),
    [
        ("GET", "", None),
        ("GET", "/turns", None),
        ("GET", "/events", None),
        ("POST", "/prompt", {"text": "Go."}),
        ("POST", "/cancel", None),
        ("POST", "/stop", None),
        ("POST", "/resume", {}),
        ("POST", "/permissions/ask-1", {"option_id": None}),
    ],
)
async def test_a_session_that_is_not_there_is_not_found(
    web: Web, method: str, rest: str, body: object
) -> None:
    path = f"/api/v1/sessions/ses_none{rest}"

    assert await web.refused(method, path, body) == (404, "session_not_found")


@requirement("rest:problems")
async def test_a_permission_that_nobody_asked_for_is_not_found(web: Web) -> None:
    session = await web.session()
    web.plane.runtime.refuses["answer"] = RuntimeProblem(RuntimeCode.NO_PERMISSION, "no such")

    refused = await web.refused(
        "POST", f"/api/v1/sessions/{session['id']}/permissions/ask-9", {"option_id": None}
    )

    assert refused == (404, "no_such_permission")


async def test_a_repository_leaves_a_task(web: Web) -> None:
    task = await web.task()
    repository = task["repositories"][0]["repository_id"]
    path = f"/api/v1/tasks/{task['id']}/repositories"

    assert await web.refused("DELETE", f"{path}/{repository}") == (400, "no_repository")
    assert await web.refused("DELETE", f"{path}/repo_none") == (404, "repository_not_found")


@requirement("rest:no-secret")
async def test_no_answer_shows_a_token_a_lease_or_a_capability(web: Web) -> None:
    session = await web.session()
    [spec] = web.plane.runtime.launches
    assert spec.managed is not None
    [grant] = spec.managed.leases
    workspace = (await web.ok("GET", "/api/v1/workspaces"))[0]["id"]

    paths = [
        f"/api/v1/sessions/{session['id']}",
        f"/api/v1/sessions/{session['id']}/turns",
        f"/api/v1/sessions/{session['id']}/events?follow=false",
        f"/api/v1/tasks/{session['task_id']}/sessions",
        f"/api/v1/workspaces/{workspace}/connections",
        f"/api/v1/github/workspace-settings?workspace_id={workspace}",
        "/api/v1/ledger",
        "/api/v1/ledger/export",
    ]
    said = "".join([(await web.client.get(path)).text for path in paths])

    for secret in (SECRET, grant.token.reveal(), grant.capability.reveal()):
        assert secret not in said
    assert grant.token.reveal().startswith("kdl_")


async def test_the_agents_are_listed_with_what_is_installed(web: Web) -> None:
    listed = await web.ok("GET", "/api/v1/agents")

    assert [(each["name"], each["installed"]) for each in listed] == [
        ("demo", True),
        ("absent", False),
    ]


async def finish(web: Web, session: Json) -> None:
    """Store the end of the session's execution, as its follower does."""
    execution = await web.plane.execution(session["execution_id"])
    await web.plane.container.follow().conclude(execution.handle)
