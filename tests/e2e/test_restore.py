"""Archive a task with work in its worktree and bring it back, through real processes."""

from pathlib import Path

import pytest

from tests.e2e.kandev import Installation, call, script
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@requirement("worktrees:task")
@requirement("worktrees:restore")
async def test_the_work_of_an_archived_task_comes_back_with_one_command(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        await kandev.workspace_of()
        repository = await kandev.repository({"local_path": str(checkout)})
        task = await kandev.task(repository)
        session = str((await kandev.launch(task))["id"])
        made = await kandev.turn(session, script(call("edit", "new.txt", "made")))
        worktree = Path((await kandev.session(session))["metadata"]["workspace"])
        new = worktree / "new.txt"

        await kandev.client.post(f"/api/v1/tasks/{task}/archive")
        gone = not worktree.exists()
        code, output, errors = await installation.command("restore", "--task", task)

        assert gone
        assert (code, errors) == (0, f"Task {task} is open.\n")
        assert output.startswith(f"{repository}  refs/kandev/backup/{task}/")
        assert new.read_text(encoding="utf-8") == "made"
        await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})
        again = await kandev.turn(
            session, script(call("edit", "more.txt", "more")), made[-1]["sequence"]
        )
        assert again[-1]["kind"] == "complete"
        assert (worktree / "more.txt").read_text(encoding="utf-8") == "more"
