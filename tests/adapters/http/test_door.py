"""The door: what a browser could be tricked into sending is refused before the body is read."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from adapters.http.app import create_app
from domain.http_door import loopback_hosts
from domain.public_address import PublicUrl
from tests.adapters.http.conftest import ORIGIN, TOKEN, Web, listening, tokens_of
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


REFUSED: list[tuple[dict[str, str | None], int, str]] = [
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
    (
        {"authorization": None, "cookie": "kandev_session_38429=kds_" + "A" * 43},
        401,
        "unauthorized",
    ),
    ({"authorization": "Bearer kdt_" + "A" * 43}, 401, "unauthorized"),
    ({"x_forwarded_for": "127.0.0.1"}, 403, "undeclared_proxy"),
    ({"x_forwarded_host": "127.0.0.1:38429"}, 403, "undeclared_proxy"),
    ({"x_forwarded_proto": "https"}, 403, "undeclared_proxy"),
    ({"forwarded": "for=127.0.0.1;host=localhost"}, 403, "undeclared_proxy"),
    ({"x_real_ip": "127.0.0.1"}, 403, "undeclared_proxy"),
    ({"x_original_url": "/health"}, 403, "undeclared_proxy"),
    ({"x_rewrite_url": "/health"}, 403, "undeclared_proxy"),
]
"""What a page of another site, a name that was bound anew, a form, or something between sends."""


@requirement("rest:door")
@requirement("rest:token")
@pytest.mark.parametrize("path", ["/api/v1/workspaces", "/api/v1/tasks/task/sessions", "/nowhere"])
async def test_a_request_is_refused_before_its_body_is_read(web: Web, path: str) -> None:
    for changed, status, code in REFUSED:
        start, body = await asked(web.app, "POST", path, headers_of(**changed))

        problem = json.loads(body["body"])
        headers = dict(start["headers"])
        told = (start["status"], problem["status"], problem["code"])
        assert told == (status, status, code), changed
        assert headers[b"content-type"] == b"application/problem+json"
        assert (headers.get(b"www-authenticate") == b"Bearer") is (status == 401)
        assert TOKEN not in body["body"].decode()


@requirement("rest:door")
@pytest.mark.parametrize("name", ["host", "origin", "authorization"])
async def test_a_header_that_comes_twice_names_nobody(web: Web, name: str) -> None:
    own = {"host": "127.0.0.1:38429", "origin": ORIGIN, "authorization": BEARER}
    headers = [*headers_of(origin=ORIGIN), (name, own[name])]

    start, _ = await asked(web.app, "POST", "/api/v1/workspaces", headers)

    assert start["status"] == (401 if name == "authorization" else 403)


@requirement("rest:door")
async def test_the_event_stream_has_the_same_door(web: Web) -> None:
    path = "/api/v1/sessions/ses/events?after=0"

    for changed, status in (({"origin": "null"}, 403), ({"authorization": None}, 401)):
        start, _ = await asked(web.app, "GET", path, headers_of(**changed))
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

    [closed] = await asked(web.app, "GET", "/api/v1/tasks", headers, "websocket")

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


PUBLIC = PublicUrl("https", "kandev.example")
THROUGH: dict[str, str | None] = {
    "host": "kandev.example",
    "x_forwarded_for": "10.0.0.1",
    "x_forwarded_host": "kandev.example",
    "x_forwarded_proto": "https",
}


THROUGH_THE_PROXY: list[tuple[dict[str, str | None], int]] = [
    ({}, 201),
    ({"origin": "https://kandev.example", "sec_fetch_site": "same-origin"}, 201),
    ({"host": "kandev.example:443"}, 201),
    ({"x_forwarded_for": None, "x_forwarded_host": None, "x_forwarded_proto": None}, 201),
    ({"origin": "http://kandev.example"}, 403),
    ({"origin": "https://evil.example"}, 403),
    ({"origin": "null"}, 403),
    ({"host": "evil.example"}, 403),
    ({"host": "kandev.example:8443"}, 403),
    ({"host": "127.0.0.1:38429"}, 403),
    ({"x_forwarded_host": "evil.example"}, 403),
    ({"x_forwarded_proto": "http"}, 403),
    ({"sec_fetch_site": "cross-site"}, 403),
    ({"content_type": "text/plain"}, 415),
    ({"authorization": None}, 401),
]


@asynccontextmanager
async def behind_a_proxy(web: Web) -> AsyncIterator[httpx2.AsyncClient]:
    app: Any = create_app(
        web.plane.api, tokens_of(web.plane), loopback_hosts("127.0.0.1", 38429), public=PUBLIC
    )
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        yield client


@requirement("rest:proxy")
async def test_the_declared_proxy_passes_with_right_values_alone(web: Web) -> None:
    async with behind_a_proxy(web) as client:
        for changed, status in THROUGH_THE_PROXY:
            given = dict(headers_of(**{**THROUGH, "content_length": None, **changed}))
            answer = await client.post(
                "/api/v1/workspaces", content=b'{"name": "Shop"}', headers=given
            )
            assert answer.status_code == status, (changed, answer.text)


@requirement("rest:proxy")
@requirement("account:cookie")
async def test_a_cookie_that_came_by_https_goes_by_https_alone(web: Web) -> None:
    code = await web.plane.api.claim.offer()
    assert code is not None
    body = {"code": code.reveal(), "email": "a@b", "password": "long enough", "name": "A"}
    bare: dict[str, str | None] = {"authorization": None, "content_length": None}
    secure = dict(headers_of(**THROUGH | bare))
    plain = dict(headers_of(**bare))
    async with behind_a_proxy(web) as client:
        claimed = await client.post("/api/v1/auth/setup", json=body, headers=secure)
        again = await client.post(
            "/api/v1/auth/login", json={"email": "a@b", "password": "long enough"}, headers=plain
        )

    assert (claimed.status_code, again.status_code) == (201, 200)
    assert "; secure" in claimed.headers["set-cookie"].lower()
    assert "; secure" not in again.headers["set-cookie"].lower()


@requirement("rest:door")
async def test_on_a_socket_the_answer_comes_before_the_body(web: Web) -> None:
    async with listening(web.plane) as url:
        port = int(url.rpartition(":")[2])
        for changed, status, _ in REFUSED:
            given = headers_of(**{"host": f"127.0.0.1:{port}", **changed})
            head = "".join(f"{name}: {value}\r\n" for name, value in given)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"POST /api/v1/workspaces HTTP/1.1\r\n{head}\r\n".encode("latin-1"))
            async with asyncio.timeout(60):
                line = await reader.readuntil(b"\r\n")
            writer.close()
            await writer.wait_closed()
            assert int(line.split()[1]) == status, (changed, line)
