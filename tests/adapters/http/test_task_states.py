"""Over REST a task is put to review, done and opened again, and its report is read."""

import pytest

from domain.identity import TaskId
from domain.step_report import StepReport, StepWords
from tests.adapters.http.conftest import Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("mcp:move")
async def test_a_task_is_moved_over_rest(web: Web) -> None:
    task = await web.plane.ready_task()
    path = f"/api/v1/tasks/{task.id}"

    states = [
        (await web.ok("POST", f"{path}/state", {"state": state}))["state"]
        for state in ("review", "done", "open")
    ]
    await web.ok("POST", f"{path}/archive")

    assert states == ["review", "done", "open"]
    assert await web.refused("POST", f"{path}/state", {"state": "open"}) == (409, "task_state")
    assert await web.refused("POST", f"{path}/state", {"state": "archived"}) == (
        400,
        "invalid_request",
    )
    assert await web.refused("POST", "/api/v1/tasks/unknown/state", {"state": "open"}) == (
        404,
        "task_not_found",
    )


@requirement("mcp:step")
async def test_the_report_of_a_task_is_read_over_rest(web: Web) -> None:
    session = await web.plane.running()
    path = f"/api/v1/tasks/{session.task}/report"
    none = await web.refused("GET", path)
    words = StepWords("Mended.", "Paint it.")
    async with web.plane.store.write() as unit:
        now = web.plane.clock.now()
        await unit.put_report(StepReport(TaskId(session.task), session.id, words, now))

    shown = await web.ok("GET", path)

    assert none == (404, "report_not_found")
    assert await web.refused("GET", "/api/v1/tasks/unknown/report") == (404, "task_not_found")
    assert (shown["session_id"], shown["words"]) == (
        session.id,
        {"summary": "Mended.", "handoff": "Paint it.", "blockers": ""},
    )
