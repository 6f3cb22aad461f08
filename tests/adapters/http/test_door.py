"""The door: what a browser could be tricked into sending is refused before the body is read."""

import json
from typing import Any

import pytest

from tests.adapters.http.conftest import ORIGIN, TOKEN, Web, app_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

BEARER = f"Bearer {TOKEN}"
JSON = {"content-type": "application/json"}


class ReadError(AssertionError):
    """The body was read."""


async def asked(
    app: Any,  # an ASGI application
    method: str,
    path: str,
    headers: list[tuple[str, str]],
    kind: str = "http",
) -> list[dict[str, Any]]:
    """What the application answers to a request whose body must not be read."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        raise ReadError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path.partition("?")[0],
        "raw_path": path.partition("?")[0].encode(),
        "query_string": path.partition("?")[2].encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 38429),
    }
    if kind == "websocket":
        del scope["method"]
        scope["subprotocols"] = []
    await app(scope, receive, send)
    return sent


def headers_of(**changed: str | None) -> list[tuple[str, str]]:
    """The headers of a request that would be taken, with some changed or, if None, left out."""
    given: dict[str, str | None] = {
        "host": "127.0.0.1:38429",
        "authorization": BEARER,
        "content-type": "application/json",
        "content-length": "17",
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    return [(name, value) for name, value in given.items() if value is not None]


REFUSED = [
    ({"host": "evil.example"}, 403, "foreign_host"),
    ({"host": "127.0.0.1"}, 403, "foreign_host"),
    ({"host": "127.0.0.1:1"}, 403, "foreign_host"),
    ({"host": "127.0.0.1.evil.example:38429"}, 403, "foreign_host"),
    ({"host": None}, 403, "foreign_host"),
    ({"origin": "https://evil.example"}, 403, "foreign_origin"),
    ({"origin": "http://127.0.0.1:1"}, 403, "foreign_origin"),
    ({"origin": "http://localhost:38429"}, 403, "foreign_origin"),
    ({"origin": "null"}, 403, "foreign_origin"),
    ({"origin": ""}, 403, "foreign_origin"),
    ({"origin": "file://127.0.0.1:38429"}, 403, "foreign_origin"),
    ({"sec_fetch_site": "cross-site"}, 403, "cross_site"),
    ({"sec_fetch_site": "same-site"}, 403, "cross_site"),
    ({"content_type": "text/plain"}, 415, "json_required"),
    ({"content_type": "application/x-www-form-urlencoded"}, 415, "json_required"),
    ({"content_type": "multipart/form-data; boundary=application/json"}, 415, "json_required"),
    ({"content_type": None}, 415, "json_required"),
    (
        {"content_type": None, "content_length": None, "transfer_encoding": "chunked"},
        415,
        "json_required",
    ),
    ({"authorization": None}, 401, "unauthorized"),
    ({"authorization": "Bearer wrong"}, 401, "unauthorized"),
    ({"authorization": "Bearer "}, 401, "unauthorized"),
    ({"authorization": f"Basic {TOKEN}"}, 401, "unauthorized"),
    ({"authorization": TOKEN}, 401, "unauthorized"),
    ({"authorization": f"{BEARER}\xff"}, 401, "unauthorized"),
    ({"authorization": None, "cookie": f"token={TOKEN}"}, 401, "unauthorized"),
]


@requirement("rest:door")
@requirement("rest:token")
@pytest.mark.parametrize("path", ["/api/v1/workspaces", "/api/v1/tasks/task/sessions", "/nowhere"])
@pytest.mark.parametrize(("changed", "status", "code"), REFUSED)
async def test_a_request_is_refused_before_its_body_is_read(
    web: Web, path: str, changed: dict[str, str | None], status: int, code: str
) -> None:
    start, body = await asked(app_of(web.plane), "POST", path, headers_of(**changed))

    problem = json.loads(body["body"])
    headers = dict(start["headers"])
    assert (start["status"], problem["status"], problem["code"]) == (status, status, code)
    assert headers[b"content-type"] == b"application/problem+json"
    assert (headers.get(b"www-authenticate") == b"Bearer") is (status == 401)
    assert TOKEN not in body["body"].decode()


@requirement("rest:door")
@pytest.mark.parametrize("name", ["host", "origin", "authorization"])
async def test_a_header_that_comes_twice_names_nobody(web: Web, name: str) -> None:
    own = {"host": "127.0.0.1:38429", "origin": ORIGIN, "authorization": BEARER}
    headers = [*headers_of(origin=ORIGIN), (name, own[name])]

    start, _ = await asked(app_of(web.plane), "POST", "/api/v1/workspaces", headers)

    assert start["status"] == (401 if name == "authorization" else 403)


@requirement("rest:door")
async def test_the_event_stream_has_the_same_door(web: Web) -> None:
    path = "/api/v1/sessions/ses/events?after=0"

    for changed, status in (({"origin": "null"}, 403), ({"authorization": None}, 401)):
        start, _ = await asked(app_of(web.plane), "GET", path, headers_of(**changed))
        assert start["status"] == status


@requirement("rest:door")
@pytest.mark.parametrize(
    ("changed", "code"),
    [({"origin": "https://evil.example"}, 4403), ({"authorization": None}, 4401)],
)
async def test_a_web_socket_is_closed_at_the_door(
    web: Web, changed: dict[str, str | None], code: int
) -> None:
    headers = headers_of(content_length=None, **changed)

    [closed] = await asked(app_of(web.plane), "GET", "/api/v1/tasks", headers, "websocket")

    assert (closed["type"], closed["code"]) == ("websocket.close", code)


@requirement("rest:token")
@pytest.mark.parametrize(
    "path", ["/api/v1/workspaces?token={}", "/api/v1/workspaces?access_token={}", "/api/v1/{}"]
)
async def test_a_token_in_the_url_opens_nothing(web: Web, path: str) -> None:
    del web.client.headers["authorization"]

    answer = await web.client.get(path.format(TOKEN))

    assert answer.status_code == 401
    assert TOKEN not in answer.text


@requirement("rest:token")
async def test_health_alone_needs_no_token(web: Web) -> None:
    del web.client.headers["authorization"]

    health = await web.client.get("/health")
    document = await web.client.get("/api/v1/schema/openapi.json")
    foreign = await web.client.get("/health", headers={"host": "evil.example"})

    assert (health.status_code, health.json()["status"]) == (200, "ok")
    assert (document.status_code, foreign.status_code) == (401, 403)


@requirement("rest:door")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": ORIGIN},
        {"origin": ORIGIN, "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"content-type": "application/json; charset=utf-8"},
        {"authorization": f"bearer  {TOKEN} "},
        {"host": "LOCALHOST:38429"},
        {"host": "[::1]:38429"},
    ],
)
async def test_the_clients_of_this_server_come_in(web: Web, headers: dict[str, str]) -> None:
    answer = await web.client.post(
        "/api/v1/workspaces", content=b'{"name": "Shop"}', headers=JSON | headers
    )

    assert answer.status_code == 201, answer.text
