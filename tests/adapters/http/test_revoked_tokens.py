"""What a token holds open when it is revoked, on real sockets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from composition.revocations import KEPT, MemoryRevocations
from domain.identity import TokenId, UserId, WorkspaceId
from domain.principal import HOME_OWNER, User
from tests.account_examples import account_of
from tests.adapters.http.conftest import TOKEN, Web
from tests.adapters.http.test_access_tokens import PATH, made
from tests.adapters.http.test_events import recorded
from tests.adapters.http.test_terminals import looking, served
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("token:open")]

LIMIT = 60.0


@asynccontextmanager
async def following(web: Web, session: str, token: str) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of a session's stream, opened with a token."""
    path = f"/api/v1/sessions/{session}/events"
    headers = {"authorization": f"Bearer {token}"}
    async with web.client.stream("GET", path, headers=headers, timeout=LIMIT) as answer:
        assert answer.status_code == 200
        yield answer.aiter_lines()


async def told(lines: AsyncIterator[str], number: int) -> None:
    async for line in lines:
        if line == f"id: {number}":
            return
    raise AssertionError("the stream ended")


async def test_a_stream_ends_whole_and_that_of_another_token_goes_on(tmp_path: Path) -> None:
    async with served(tmp_path) as (web, path):
        session = path.split("/")[4]
        (key, text), (_, other) = await made(web, "read"), await made(web, "read")
        body = await web.ok("GET", f"/api/v1/sessions/{session}")
        async with following(web, session, text) as ended, following(web, session, other) as kept:
            await recorded(web, body, 1)
            await told(ended, 1)
            await told(kept, 1)

            await web.ok("DELETE", f"{PATH}/{key}")

            rest = [line async for line in ended]
            await recorded(web, body, 2)
            await told(kept, 2)
    assert "id: 2" not in rest


@requirement("workspace:members")
async def test_the_homes_token_follows_nothing_where_its_user_was_let_go(tmp_path: Path) -> None:
    anna = UserId("anna")
    async with served(tmp_path) as (web, path):
        session = path.split("/")[4]
        body = await web.ok("GET", f"/api/v1/sessions/{session}")
        task = await web.ok("GET", f"/api/v1/tasks/{body['task_id']}")
        workspace = WorkspaceId(task["workspace_id"])
        async with web.plane.store.write() as unit:
            await unit.put_account(account_of(anna))
        base = f"/api/v1/workspaces/{workspace}"
        await web.ok("POST", f"{base}/members", {"email": "anna@example.org"})
        await web.ok("PUT", f"{base}/owner", {"user_id": anna})
        async with following(web, session, TOKEN) as ended:
            await recorded(web, body, 1)
            await told(ended, 1)

            removed = await web.plane.api.members.remove(User(anna), workspace, HOME_OWNER)

            rest = [line async for line in ended]
        assert removed.unwrap() is None
        assert not any(line.startswith("id: ") for line in rest)
        assert await web.refused("GET", f"/api/v1/sessions/{session}") == (404, "session_not_found")


async def test_a_terminal_is_closed_and_says_why(tmp_path: Path) -> None:
    async with served(tmp_path) as (web, path):
        await web.ok("POST", path, {})
        key, text = await made(web, "write")
        _, other = await made(web, "write")
        async with (
            looking(web, f"{path}/t1", authorization=f"Bearer {text}") as closed,
            looking(web, f"{path}/t1", authorization=f"Bearer {other}") as kept,
        ):
            for each in (closed, kept):
                await each.send("here")
                assert await each.recv() == "here"

            await web.ok("DELETE", f"{PATH}/{key}")

            with pytest.raises(ConnectionClosed) as ended:
                await closed.recv()
            await kept.send("hello")
            assert await kept.recv() == "hello"
    assert ended.value.rcvd is not None
    assert ended.value.rcvd.code == 4401


async def test_who_listens_a_moment_later_hears_it_too() -> None:
    revocations, token = MemoryRevocations(), TokenId("tok_a")
    with revocations.heard(token) as before, revocations.heard(TokenId("tok_b")) as other:
        revocations.tell(token)
        assert before.is_set()
        assert not other.is_set()
    with revocations.heard(token) as late:
        assert late.is_set()


@pytest.mark.parametrize(("newer", "heard"), [(KEPT - 1, True), (KEPT, False)])
async def test_the_newest_revoked_tokens_are_remembered(newer: int, heard: bool) -> None:
    revocations, token = MemoryRevocations(), TokenId("tok_a")
    for each in (token, *(TokenId(f"tok_{number}") for number in range(newer))):
        revocations.tell(each)

    with revocations.heard(token) as over:
        assert over.is_set() is heard
