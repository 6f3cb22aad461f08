"""Clients that launch, stop, resume and look at files at once, over a real agentctl and agents."""

import asyncio
from pathlib import Path

import pytest

from composition.client import ApiError
from tests.e2e.conftest import checkout, installation
from tests.e2e.kandev import Installation, call, script
from tests.e2e.test_conversation import processes_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

__all__ = ("checkout", "installation")


@requirement("session:launch:one-flight")
@requirement("session:order")
async def test_clients_that_start_and_stop_at_once_leave_one_session_that_works(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        await kandev.workspace_of()
        task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))

        launches = await asyncio.gather(
            *(kandev.launch(task) for _ in range(3)), return_exceptions=True
        )
        launched = [each for each in launches if not isinstance(each, BaseException)]
        session = launched[0]["id"]
        path = f"/api/v1/sessions/{session}"
        await kandev.client.post(f"{path}/stop")
        resumed = await kandev.client.post(f"{path}/resume", {})
        events = await kandev.turn(session, script(call("message", "here")))
        await kandev.stop(session)
        sessions = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")

    # One that came when the launch was over is refused, the others share it.
    late = [each for each in launches if isinstance(each, BaseException)]
    assert {each.code if isinstance(each, ApiError) else each for each in late} <= {"task_busy"}
    assert launched == [launched[0]] * len(launched)
    assert resumed["state"] == "idle"
    assert [each["body"]["state"] for each in events if each["kind"] == "complete"] == ["completed"]
    assert [each["id"] for each in sessions] == [session]
    assert processes_of(session) == []
