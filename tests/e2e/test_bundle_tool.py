"""An agent that asks for its evidence, through its own tools, with everything real."""

import io
import json
import stat
import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import git
from tests.e2e.kandev import Installation, call, script
from tests.e2e.test_conversation import begin
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

ASK = "mcp:kandev:get_diagnostic_bundle_kandev"


@requirement("bundle:tool:real")
@requirement("bundle:deliver:hidden")
@requirement("bundle:deliver:ended")
async def test_an_agent_finds_itself_in_the_log_of_its_bundle(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        shown = await driver.session(session)
        task, worktree = shown["task_id"], Path(shown["metadata"]["workspace"])
        events = await driver.turn(session, script(call(ASK, {"source": "backend"})))
        (said,) = [each["body"] for each in events if each["kind"] == "tool_update"]
        given = json.loads(said["content"][0]["content"]["text"])
        file = worktree / given["path"]
        data, mode = file.read_bytes(), stat.S_IMODE(file.stat().st_mode)
        status = git("status", "--porcelain", "-uall", at=worktree)
        await driver.stop(session)
        await eventually(lambda: not (worktree / ".kandev").exists())

    assert (said["status"], given["status"], given["bytes"]) == ("complete", "ready", len(data))
    assert (mode, status, given["absolute_path"]) == (0o600, "", str(file))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        logged = [json.loads(line) for line in archive.read(given["files"][0]["name"]).splitlines()]
    assert task in {each.get("task") for each in logged if each["event"] == "agent_started"}
