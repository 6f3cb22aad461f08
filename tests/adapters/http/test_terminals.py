"""Terminals over REST and over a viewer's WebSocket: what is carried, and who is let in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.adapters.http.conftest import TOKEN, Web, listening
from tests.pipelines.plane import plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[Web, str]]:
    """A client, and the address of the streams of a session's terminals."""
    async with plane_over(folder) as plane, listening(plane) as url:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(base_url=url, headers=headers) as client:
            web = Web(client, plane)
            session = await web.session()
            yield web, f"/api/v1/sessions/{session['id']}/terminals"


@asynccontextmanager
async def looking(web: Web, path: str, **headers: str) -> AsyncIterator[ClientConnection]:
    url = f"{web.client.base_url}".rstrip("/").replace("http://", "ws://")
    wanted = {"authorization": f"Bearer {TOKEN}", **headers}
    sent = {name: value for name, value in wanted.items() if value}
    async with connect(f"{url}{path}/stream", additional_headers=sent) as socket:
        yield socket


@requirement("terminal:open")
@requirement("terminal:size")
async def test_a_terminal_is_opened_listed_and_ended(web: Web) -> None:
    path = f"/api/v1/sessions/{(await web.session())['id']}/terminals"

    opened = await web.ok("POST", path, {"columns": 100, "rows": 30})
    plain = await web.ok("POST", path, {})
    listed = await web.ok("GET", path)

    assert opened == {
        "id": "t1",
        "program": "/bin/sh",
        "columns": 100,
        "rows": 30,
        "viewers": 0,
        "started_at": "2026-01-01T00:00:00Z",
    }
    assert (plain["columns"], plain["rows"]) == (80, 24)
    assert listed == [opened, plain]
    assert await web.ok("DELETE", f"{path}/t1") is None
    assert await web.refused("DELETE", f"{path}/t1") == (404, "no_such_terminal")
    assert await web.refused("POST", path, {"columns": 0}) == (400, "invalid_size")


@requirement("terminal:stream")
async def test_what_is_typed_and_said_goes_both_ways_until_one_side_closes(tmp_path: Path) -> None:
    async with served(tmp_path) as (web, path):
        await web.ok("POST", path, {})
        async with looking(web, f"{path}/t1") as socket:
            await socket.send(b"ls\n")
            typed = await socket.recv()
            await socket.send('{"type": "resize"}')
            said = await socket.recv()
            await socket.send(b"bye")
            with pytest.raises(ConnectionClosed):
                await socket.recv()

    assert (typed, said, socket.close_code) == (b"ls\n", '{"type": "resize"}', 1000)


@requirement("terminal:stream")
@pytest.mark.parametrize(
    ("path", "code"), [("/api/v1/sessions/none/terminals/t1", 4404), ("{path}/t9", 1011)]
)
async def test_a_stream_of_nothing_is_closed(tmp_path: Path, path: str, code: int) -> None:
    async with (
        served(tmp_path) as (web, terminals),
        looking(web, path.format(path=terminals)) as socket,
    ):
        with pytest.raises(ConnectionClosed):
            await socket.recv()

    assert socket.close_code == code


@requirement("terminal:door")
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"authorization": ""},
        {"authorization": "Bearer kdt_another"},
    ],
)
async def test_a_stranger_is_shown_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    async with served(tmp_path) as (web, path):
        await web.ok("POST", path, {})
        with pytest.raises(InvalidStatus) as refused:
            async with looking(web, f"{path}/t1", **headers):
                pass

    assert refused.value.response.status_code == 403
