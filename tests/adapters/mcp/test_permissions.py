"""What agents ask permission for, as a person's client sees it."""

import pytest

from domain.event import EventKind, ExecutionEvent
from tests.adapters.mcp.conftest import Tools
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("mcp:permissions")
async def test_the_permissions_that_wait_are_listed_until_they_are_answered(tools: Tools) -> None:
    session = await tools.plane.running()
    pair = {"task_id": session.task, "session_id": session.id}
    told = 0
    options = [{"id": "allow", "name": "Allow", "kind": "allow_once"}]

    async def tell(kind: EventKind, **body: object) -> list[str]:
        nonlocal told
        told += 1
        event = ExecutionEvent(told, tools.plane.clock.now(), kind, 1, dict(body))
        assert session.execution is not None
        async with tools.plane.store.write() as unit:
            await unit.append_events(session.id, session.execution, [event])
        pending = (await tools.ok("list_pending_permissions", **pair))["pending"]
        return [each["request_id"] for each in pending]

    asked = {"tool_call": {"title": "Delete it?"}, "options": options}
    waiting = [
        await tell(EventKind.PERMISSION_REQUEST, id="1", **asked),
        await tell(EventKind.PERMISSION_REQUEST, id="2", **asked),
        await tell(EventKind.PERMISSION_RESOLVED, id="1", option="allow", by="user"),
        await tell(EventKind.MESSAGE_CHUNK, text="Done."),
    ]
    shown = (await tools.ok("list_pending_permissions", **pair))["pending"]
    ended = await tell(EventKind.EXITED)

    assert (waiting, ended) == ([["1"], ["1", "2"], ["2"], ["2"]], [])
    assert shown == [
        {
            "request_id": "2",
            "title": "Delete it?",
            "options": [{"option_id": "allow", "name": "Allow", "kind": "allow_once"}],
        }
    ]
