"""The queue of a session over REST."""

import pytest

from domain.prompt_queue import MAX_QUEUED
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.adapters.http.conftest import Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def working(web: Web) -> str:
    """The path of the queue of a session whose turn runs."""
    session = await web.session()
    path = f"/api/v1/sessions/{session['id']}"
    await web.ok("POST", f"{path}/prompt", {"text": "first"})
    return f"{path}/queue"


@requirement("session:queue:change")
async def test_a_queue_is_filled_shown_changed_and_sent_from(web: Web) -> None:
    path = await working(web)
    a, b, c = [await web.ok("POST", path, {"text": text}) for text in ("a", "b", "c")]

    edited = await web.ok("PUT", f"{path}/{b['id']}", {"text": "B"})
    await web.ok("DELETE", f"{path}/{a['id']}")
    reordered = await web.ok("PUT", path, {"prompt_ids": [c["id"], b["id"]]})
    sent = await web.ok("POST", f"{path}/{b['id']}/send")

    assert (edited["id"], edited["text"]) == (b["id"], "B")
    assert [each["text"] for each in reordered["prompts"]] == ["c", "B"]
    assert [(each["text"], each["urgent"]) for each in sent["prompts"]] == [
        ("B", True),
        ("c", False),
    ]
    assert await web.ok("GET", path) == sent
    assert sent["max"] == MAX_QUEUED


@requirement("rest:problems")
async def test_what_a_queue_refuses_has_a_code(web: Web) -> None:
    path = await working(web)
    waits = await web.ok("POST", path, {"text": "a"})

    assert await web.refused("POST", path, {"text": " "}) == (400, "invalid_prompt")
    assert await web.refused("PUT", path, {"prompt_ids": []}) == (409, "queue_changed")
    assert await web.refused("PUT", f"{path}/none", {"text": "b"}) == (404, "prompt_not_found")
    assert await web.refused("DELETE", f"{path}/none") == (404, "prompt_not_found")
    assert await web.refused("GET", path.replace("ses_", "no_")) == (404, "session_not_found")
    web.plane.runtime.refuses["cancel"] = RuntimeProblem(RuntimeCode.UNREACHABLE, "gone")
    assert await web.refused("POST", f"{path}/{waits['id']}/send") == (503, "agentctl_unreachable")
    for number in range(MAX_QUEUED - 1):
        await web.ok("POST", path, {"text": str(number)})
    assert await web.refused("POST", path, {"text": "more"}) == (409, "queue_full")
