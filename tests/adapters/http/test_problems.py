"""Problems: one shape, stable codes, something to do, and never a secret."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from structlog.testing import capture_logs

from adapters.http.app import MAX_BODY_BYTES, create_app
from adapters.http.git_problems import git_details, runtime_details
from domain.git_failure import GitCode, GitFailure
from domain.http_door import loopback_hosts
from domain.task import MAX_PROMPT_BYTES
from ports.runtime import LaunchSpec, RuntimeCode, RuntimeProblem
from ports.store import StoreFault
from tests.adapters.http.conftest import ORIGIN, TOKEN, Web, tokens_of
from tests.fakes.broken_store import BrokenStore
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}


@requirement("rest:problems")
@pytest.mark.parametrize("path", ["/", "/api/v1/nothing", "/api/v1/workspaces/a/b/c", "/api/v2"])
async def test_a_route_that_is_not_there_is_not_found(web: Web, path: str) -> None:
    assert await web.refused("GET", path) == (404, "not_found")


@requirement("rest:problems")
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"name": "a", "name', b"\xff", b'{"name": "\\ud800"}']
)
async def test_a_body_that_is_no_json_of_the_shape_is_refused(web: Web, body: bytes) -> None:
    answer = await web.client.post("/api/v1/workspaces", content=body, headers=JSON)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert await web.ok("GET", "/api/v1/workspaces") == []


@requirement("rest:problems")
@requirement("rest:no-secret")
async def test_a_value_that_is_refused_is_not_repeated(web: Web) -> None:
    task = await web.task()
    secret = "ghp_in-the-wrong-field"
    path = f"/api/v1/tasks/{task['id']}/sessions"

    for body in (
        {"agent": "demo", "executor": secret},
        {"agent": "demo", "environment": {"A=": secret}},
        {"agent": "demo", "environment": secret},
    ):
        answer = await web.client.post(path, json=body)
        assert answer.status_code == 400
        assert secret not in answer.text


@requirement("rest:bound")
async def test_a_prompt_at_its_bound_is_taken_however_it_is_escaped(web: Web) -> None:
    session = await web.session()
    body = b'{"text": "' + b"\\u0001" * (MAX_PROMPT_BYTES - 1) + b'x"}'

    answer = await web.client.post(
        f"/api/v1/sessions/{session['id']}/prompt", content=body, headers=JSON
    )

    assert answer.status_code == 202
    assert len(answer.json()["prompt"]) == MAX_PROMPT_BYTES


@requirement("rest:bound")
@pytest.mark.parametrize(("size", "status"), [(MAX_BODY_BYTES, 201), (MAX_BODY_BYTES + 1, 413)])
async def test_a_body_is_held_to_its_bound(web: Web, size: int, status: int) -> None:
    body = b'{"name": "Shop"}'.ljust(size)

    answer = await web.client.post("/api/v1/workspaces", content=body, headers=JSON)

    assert answer.status_code == status
    if status == 413:
        assert answer.json()["code"] == "too_large"


@asynccontextmanager
async def over_a_broken_store(web: Web, fault: StoreFault) -> AsyncIterator[httpx2.AsyncClient]:
    store: Any = BrokenStore(fault)
    api = replace(
        web.plane.api,
        store=store,
        register_workspace=replace(web.plane.api.register_workspace, store=store),
    )
    app: Any = create_app(api, tokens_of(web.plane), loopback_hosts("127.0.0.1", 38429))
    transport = httpx2.ASGITransport(app=app)
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
        yield client


@requirement("rest:store")
@pytest.mark.parametrize("fault", StoreFault)
async def test_a_store_that_cannot_serve_is_said_to_be_so(web: Web, fault: StoreFault) -> None:
    async with over_a_broken_store(web, fault) as client:
        with capture_logs() as logs:
            read = await client.get("/api/v1/workspaces")
            written = await client.post("/api/v1/workspaces", json={"name": "Shop"})

    for answer in (read, written):
        assert answer.status_code == (507 if fault is StoreFault.DISK_FULL else 503)
        assert answer.json()["code"] == fault.value
        assert answer.json()["remedy"]
    assert [each["fault"] for each in logs] == [fault.value] * 2


@requirement("rest:store")
@pytest.mark.parametrize("fault", StoreFault)
async def test_a_store_that_cannot_find_a_token_is_said_to_be_so(
    web: Web, fault: StoreFault
) -> None:
    store: Any = BrokenStore(fault)
    tokens = replace(tokens_of(web.plane), store=store)
    app: Any = create_app(web.plane.api, tokens, loopback_hosts("127.0.0.1", 38429))
    transport = httpx2.ASGITransport(app=app)
    headers = {"authorization": f"Bearer kdt_{'A' * 43}"}
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
        with capture_logs() as logs:
            answer = await client.get("/api/v1/workspaces")

    assert answer.status_code == (507 if fault is StoreFault.DISK_FULL else 503)
    assert (answer.json()["code"], [each["fault"] for each in logs]) == (fault, [fault])
    assert answer.json()["remedy"]


@requirement("rest:problems")
async def test_a_bug_is_logged_and_only_its_number_is_told(web: Web) -> None:
    task = await web.task()

    async def stumble(_: LaunchSpec) -> None:
        raise RuntimeError("words that are nobody's business")

    web.plane.runtime.meanwhile = stumble
    with capture_logs() as logs:
        answer = await web.client.post(
            f"/api/v1/tasks/{task['id']}/sessions", json={"agent": "demo"}
        )

    told = answer.json()
    [logged] = [each for each in logs if each["event"] == "request_failed"]
    assert (answer.status_code, told["code"]) == (500, "internal_error")
    assert logged["number"] in told["detail"]
    assert "nobody" not in answer.text


@requirement("rest:problems")
@pytest.mark.parametrize("code", RuntimeCode)
def test_every_failure_of_an_agent_has_a_status_and_something_to_do(code: RuntimeCode) -> None:
    told = runtime_details(RuntimeProblem(code, "what happened", "last words"))

    assert (told.code, told.detail) == (code.value, "what happened\nlast words")
    assert 400 <= told.status < 600
    assert told.status != 500
    assert told.remedy


@requirement("rest:problems")
@pytest.mark.parametrize("code", GitCode)
def test_every_failure_of_git_has_a_status_and_something_to_do(code: GitCode) -> None:
    told = git_details(GitFailure(code, "git's words"))

    assert (told.code, told.detail) == (code.value, "git's words")
    assert told.status == (507 if code is GitCode.DISK_FULL else 422)
    assert told.remedy
