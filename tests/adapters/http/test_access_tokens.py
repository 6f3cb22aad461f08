"""Access tokens over REST: what each opens, and when it opens nothing any more."""

from datetime import timedelta

import httpx2
import pytest

from domain.identity import UserId
from tests.adapters.http.conftest import Json, Web
from tests.adapters.http.test_door import asked, headers_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PATH = "/api/v1/tokens"
WORKSPACES = "/api/v1/workspaces"


async def made(web: Web, *scopes: str, days: int = 1) -> tuple[str, str]:
    """The id and the text of a new token."""
    body = {"name": "ci", "scopes": list(scopes), "expires_in_days": days}
    answer = await web.ok("POST", PATH, body)
    return answer["token"]["id"], answer["value"]


async def answer(
    web: Web, token: str, method: str, path: str, body: Json = None
) -> httpx2.Response:
    headers = {"authorization": f"Bearer {token}"}
    return await web.client.request(method, path, json=body, headers=headers)


@requirement("token:once")
async def test_the_text_of_a_token_is_told_once(web: Web) -> None:
    key, text = await made(web, "read", "write")

    listed = await web.client.get(PATH)
    async with web.plane.store.read() as state:
        kept = await state.access_tokens(UserId("owner"), None, 9)

    assert [each["id"] for each in listed.json()] == [key]
    assert text.removeprefix("kdt_") not in listed.text + repr(kept)
    assert web.plane.api.access_tokens.redactor.redact(f"shown: {text}").count(text) == 0


@requirement("token:scopes")
@pytest.mark.parametrize(
    ("scopes", "reads", "writes"),
    [(["read"], 200, 403), (["write"], 403, 201), (["read", "write"], 200, 201)],
)
async def test_a_token_opens_what_its_scopes_say(
    web: Web, scopes: list[str], reads: int, writes: int
) -> None:
    _, text = await made(web, *scopes)

    read = await answer(web, text, "GET", WORKSPACES)
    written = await answer(web, text, "POST", WORKSPACES, {"name": "Shop"})

    assert (read.status_code, written.status_code) == (reads, writes)
    for refused in (each for each in (read, written) if each.status_code == 403):
        assert refused.json()["code"] == "insufficient_scope"
        assert refused.json()["remedy"]


@requirement("token:scopes")
async def test_a_token_that_reads_writes_nowhere_and_its_body_is_not_read(web: Web) -> None:
    _, text = await made(web, "read")
    app, headers = web.app, headers_of(authorization=f"Bearer {text}")
    document = await web.ok("GET", "/api/v1/schema/openapi.json")
    operations = [
        (method.upper(), path)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method not in {"get", "head"} and operation.get("security") != [{}]
    ]

    for method, path in [*operations, ("POST", "/mcp"), ("POST", "//api//v1/workspaces/")]:
        sent = await asked(app, method, path, headers)
        assert sent[0]["status"] == 403, (method, path)
    closed = await asked(app, "GET", "/api/v1/terminals/t/stream", headers, "websocket")

    assert len(operations) > 50
    assert [(each["type"], each["code"]) for each in closed] == [("websocket.close", 4403)]


@requirement("token:ends")
async def test_what_expired_was_revoked_or_never_was_looks_the_same(web: Web) -> None:
    _, short = await made(web, "read", days=1)
    key, revoked = await made(web, "read", days=9)
    assert (await answer(web, short, "GET", WORKSPACES)).status_code == 200
    assert (await answer(web, revoked, "GET", WORKSPACES)).status_code == 200

    await web.ok("DELETE", f"{PATH}/{key}")
    web.plane.clock.advance(timedelta(days=1))
    answers = [
        await answer(web, text, "GET", WORKSPACES)
        for text in (short, revoked, "kdt_" + "A" * 43, "kdt_", "other")
    ]

    assert {each.status_code for each in answers} == {401}
    assert len({each.text for each in answers}) == 1
    assert await web.refused("DELETE", f"{PATH}/{key}") == (404, "token_not_found")


@requirement("token:keepers")
async def test_a_token_cannot_make_itself_a_wider_one(web: Web) -> None:
    key, text = await made(web, "read", "write")
    body = {"name": "wider", "scopes": ["read", "write"], "expires_in_days": 365}

    answers = [
        await answer(web, text, "POST", PATH, body),
        await answer(web, text, "GET", PATH),
        await answer(web, text, "DELETE", f"{PATH}/{key}"),
    ]

    assert {(each.status_code, each.json()["code"]) for each in answers} == {
        (404, "token_not_found")
    }
    assert [each["id"] for each in await web.ok("GET", PATH)] == [key]


@requirement("token:scopes")
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"scopes": ["all"]}, "invalid_scopes"),
        ({"expires_in_days": 366}, "invalid_life"),
        ({"name": " "}, "invalid_name"),
    ],
)
async def test_a_token_that_cannot_be_is_not_made(web: Web, changed: Json, code: str) -> None:
    body = {"name": "ci", "scopes": ["read"], "expires_in_days": 1, **changed}

    assert await web.refused("POST", PATH, body) == (400, code)
    assert await web.ok("GET", PATH) == []
