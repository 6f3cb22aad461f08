"""An agent behind shells, one of which ignores TERM: whatever ends it, nothing of it is left."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import checkout, installation
from tests.e2e.kandev import Driver, Installation, arguments_of, call, script
from tests.e2e.test_conversation import processes_of
from tests.e2e.test_serve_command import served
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

__all__ = ("checkout", "installation")

AGENT = f"{sys.executable} -I -m adapters.scripted_agent"


def wrap(installation: Installation, folder: Path) -> Path:
    """Name an agent `wrapped` that a stubborn shell runs inside another; the file of its pid."""
    inner, pid = folder / "inner.sh", folder / "pid"
    endless = "while :; do sleep 3600; done"
    inner.write_text(f"trap '' TERM\necho $$ >{pid}\n{AGENT}\n{endless}\n", encoding="utf-8")
    command = ["bash", "-c", f"bash {inner} ; :"]
    with (installation.home / "agents.toml").open("a", encoding="utf-8") as file:
        file.write(f"[agents.wrapped]\ncommand = {json.dumps(command)}\n")
    return pid


async def begun(kandev: Driver, checkout: Path) -> tuple[str, str]:
    """A task and its session, whose agent has answered through its shells."""
    await kandev.workspace_of()
    task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
    session = str((await kandev.launch(task, "wrapped"))["id"])
    events = await kandev.turn(session, script(call("message", "here")))
    assert events[-1]["body"]["state"] == "completed"
    return task, session


def is_inner(pid: int) -> bool:
    return b"inner.sh" in arguments_of(pid)


@requirement("session:stop-whole")
@pytest.mark.parametrize("how", ["stop", "archive", "shutdown"])
async def test_an_agent_behind_a_shell_that_ignores_term_is_gone_after(
    installation: Installation, checkout: Path, tmp_path: Path, how: str
) -> None:
    pid_file = wrap(installation, tmp_path)
    async with served(installation) as server:
        task, session = await begun(server.driver, checkout)
        pid = int(pid_file.read_text())
        before = is_inner(pid)
        if how == "stop":
            await server.driver.stop(session)
        elif how == "archive":
            await server.driver.client.post(f"/api/v1/tasks/{task}/archive")
        else:
            await server.end(signal.SIGINT)
        await eventually(lambda: not is_inner(pid))
        if how != "shutdown":
            await server.end(signal.SIGINT)

    assert before
    assert processes_of(session) == []


@requirement("session:killed-host")
async def test_an_agent_behind_shells_is_gone_after_everything_else_was_killed_and_began_anew(
    installation: Installation, checkout: Path, tmp_path: Path
) -> None:
    pid_file = wrap(installation, tmp_path)
    bystander = await asyncio.create_subprocess_exec("sleep", "3600", start_new_session=True)
    try:
        async with served(installation) as server:
            _, session = await begun(server.driver, checkout)
            pid = int(pid_file.read_text())
            await server.end(signal.SIGKILL)
        installation.kill_agentctl()
        before = is_inner(pid)

        async with served(installation) as server:
            await server.driver.until_state(session, "stopped")
            after = is_inner(pid)
            resumed = await server.driver.client.post(f"/api/v1/sessions/{session}/resume", {})
            await server.end(signal.SIGINT)
        assert bystander.returncode is None
    finally:
        bystander.kill()
        await bystander.wait()

    assert (before, after) == (True, False)
    assert resumed["state"] == "idle"
    assert processes_of(session) == []
