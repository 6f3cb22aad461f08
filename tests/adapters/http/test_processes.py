"""Background commands over REST: the shapes, and what is refused."""

import pytest

from tests.adapters.http.conftest import Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("background:start")
@requirement("background:stop")
async def test_a_command_is_started_listed_read_and_stopped(web: Web) -> None:
    path = f"/api/v1/sessions/{(await web.session())['id']}/processes"

    started = await web.ok("POST", path, {"command": "make watch", "folder": "web"})
    listed = await web.ok("GET", path)
    read = await web.ok("GET", f"{path}/p1/output?after=5")
    stopped = await web.ok("POST", f"{path}/p1/stop")

    assert started == {
        "id": "p1",
        "command": "make watch",
        "directory": "/workspace/web",
        "state": "running",
        "exit": None,
        "signal": None,
        "output": 0,
        "started_at": "2026-01-01T00:00:00Z",
        "ended_at": None,
    }
    assert listed == [started]
    assert read == {"begin": 5, "next": 9, "text": "said", "ended": False}
    assert (stopped["state"], stopped["signal"]) == ("stopped", 15)


@requirement("background:start:refused")
async def test_what_cannot_be_done_has_a_code(web: Web) -> None:
    path = f"/api/v1/sessions/{(await web.session())['id']}/processes"

    assert await web.refused("POST", path, {"command": ""}) == (400, "invalid_command")
    assert await web.refused("GET", f"{path}/p1/output") == (404, "no_such_process")
    assert await web.refused("GET", f"{path}/p1/output?after=-1") == (400, "invalid_request")
    assert await web.refused("GET", "/api/v1/sessions/none/processes") == (404, "session_not_found")
