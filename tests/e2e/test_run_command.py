"""`kandev run`: one task in the terminal, with a server of its own or the home's."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from tests.e2e.conftest import git
from tests.e2e.kandev import SECONDS, Installation, call, kandev, script
from tests.e2e.test_conversation import begin, processes_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@requirement("run:alone")
async def test_a_run_without_a_server_starts_what_it_needs_and_ends_it(
    installation: Installation, checkout: Path
) -> None:
    prompt = script(call("message", "I did it"), call("edit", "made.txt", "made"))
    code, output, errors = await installation.command(
        "run", "--repo", str(checkout), "--agent", "demo", "--json", prompt
    )

    assert code == 0, errors
    lines = [json.loads(line) for line in output.splitlines()]
    outcome = lines[-1]
    assert outcome["outcome"] == "completed"
    assert Path(outcome["workspace"], "made.txt").read_text(encoding="utf-8") == "made"
    assert [line["kind"] for line in lines[:-1]][-1] == "complete"
    assert processes_of(outcome["session_id"]) == []


@requirement("run:scripts")
async def test_a_run_may_bring_the_scripts_of_its_repository(
    installation: Installation, checkout: Path, tmp_path: Path
) -> None:
    setup = tmp_path / "setup.sh"
    setup.write_text("echo by the setup; exit 3", encoding="utf-8")
    run = ("run", "--repo", str(checkout), "--agent", "demo")
    async with installation.server():
        code, output, errors = await installation.command(*run, "--setup", str(setup), "hello")
        blocked = await installation.command(*run, "--on-setup-failure", "block", "hello")
        missing = await installation.command(*run, "--cleanup", str(tmp_path / "none"), "hello")

    assert code == 0, errors
    assert "setup script of project\nby the setup\n  failed\n" in output
    assert blocked[0] == 1
    assert "status 3" in blocked[2]
    assert "[setup_failed]" in blocked[2]
    assert missing[0] == 2


@requirement("run:server")
async def test_a_run_uses_the_server_of_the_home(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as driver:
        code, output, errors = await installation.command(
            "run", "--repo", str(checkout), "--agent", "demo", script(call("message", "hello"))
        )
        workspaces = await driver.client.get("/api/v1/workspaces")

    assert code == 0, errors
    assert "hello" in output
    assert [each["name"] for each in workspaces] == ["default"]


@requirement("run:leaves-others")
async def test_a_run_leaves_the_agents_that_outlived_an_earlier_server(
    installation: Installation, checkout: Path, tmp_path: Path
) -> None:
    async with installation.server(owned=False) as driver:
        session = await begin(driver, checkout)
        await driver.prompt(session, script(call("wait_for_file", "go")))
        workspace = (await driver.session(session))["metadata"]["workspace"]

    other = tmp_path / "other"
    git("clone", "--quiet", str(checkout), str(other), at=tmp_path)
    code, _, errors = await installation.command(
        "run", "--repo", str(other), "--agent", "demo", script(call("message", "hello"))
    )
    Path(workspace, "go").touch()
    async with installation.server() as driver:
        events = await driver.until(session, "complete")
        await driver.stop(session)

    assert code == 0, errors
    assert events[-1]["body"]["state"] == "completed"


@requirement("run:failure")
async def test_a_run_of_an_unknown_agent_says_which_there_are(
    installation: Installation, checkout: Path
) -> None:
    code, output, errors = await installation.command(
        "run", "--repo", str(checkout), "--agent", "nobody", "hello"
    )

    assert code == 1
    assert output == ""
    assert "unknown_agent" in errors
    assert "claude" in errors
    assert "Traceback" not in errors


@requirement("run:interrupt")
async def test_ctrl_c_cancels_the_turn_and_the_run_says_so(
    installation: Installation, checkout: Path
) -> None:
    prompt = script(call("message", "working"), call("delay", 600_000))
    process = await asyncio.create_subprocess_exec(
        *kandev("run", "--repo", str(checkout), "--agent", "demo", "--json", prompt),
        env=installation.environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    async with asyncio.timeout(SECONDS):
        while b"working" not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        output, errors = await process.stdout.read(), await process.stderr.read()
        code = await process.wait()

    assert code == 130, errors.decode()
    outcome = json.loads(output.splitlines()[-1])
    assert outcome["outcome"] == "cancelled"
    assert processes_of(outcome["session_id"]) == []
