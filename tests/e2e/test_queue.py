"""Prompts that wait, through real processes: kept over a restart, and on the command line."""

from pathlib import Path

import pytest

from tests.e2e.kandev import Installation, call, script
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@requirement("session:queue")
@requirement("session:queue:command")
async def test_prompts_wait_are_changed_by_the_command_line_and_go_one_by_one(
    installation: Installation, checkout: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    holding = script(call("run", f"until [ -e {gate} ]; do sleep 0.02; done"))
    async with installation.server(owned=False) as kandev:
        await kandev.workspace_of()
        task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
        session = str((await kandev.launch(task))["id"])
        await kandev.prompt(session, holding)
        queue = ("queue", "--session", session)
        await installation.command(*queue, "add", script(call("edit", "b.txt", "b")))
        await installation.command(*queue, "add", "never")
        code, added, _ = await installation.command(*queue, "add", "wrong words")
        b, never, last = [line.split("  ")[0] for line in added.splitlines()]
        text = script(call("edit", "a.txt", "a"))
        await installation.command(*queue, "edit", last, text)
        await installation.command(*queue, "remove", never)
        _, ordered, _ = await installation.command(*queue, "reorder", last, b)

    async with installation.server() as kandev:
        _, kept, errors = await installation.command(*queue, "list")
        gate.touch()
        seen = 0
        for _ in range(3):
            seen = (await kandev.until(session, "complete", seen))[-1]["sequence"]
        turns = await kandev.client.get(f"/api/v1/sessions/{session}/turns")

    assert (code, errors) == (0, "")
    assert [line.split("  ")[0] for line in ordered.splitlines()] == [last, b]
    assert kept == ordered
    assert [(each["prompt"], each["state"]) for each in turns] == [
        (holding, "completed"),
        (text, "completed"),
        (script(call("edit", "b.txt", "b")), "completed"),
    ]
