"""Saved prompts from the command line, and what a client on stdio makes of them."""

import json
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from tests.e2e.kandev import Installation, kandev
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@requirement("prompt:command")
@requirement("prompt:offered")
async def test_a_prompt_is_set_listed_offered_and_removed(
    installation: Installation, tmp_path: Path
) -> None:
    file = tmp_path / "review"
    file.write_text("Review {{what}}.", encoding="utf-8")
    program, *words = kandev("mcp")
    started = StdioServerParameters(command=program, args=words, env=installation.environment)

    async with installation.server() as driver:
        await driver.workspace_of("kept")
        command = ("prompt", "--workspace", "kept")
        made = await installation.command(
            *command, "set", "review", "--text", str(file), "--argument", "what=Which work"
        )
        changed = await installation.command(*command, "set", "review", "--description", "Look")
        listed = await installation.command(*command, "list")
        async with Client(started) as client:
            (offered,) = (await client.list_prompts()).prompts
            filled = await client.get_prompt("review", {"what": "it"})
        removed = await installation.command(*command, "remove", "review")
        gone = await installation.command(*command, "show", "review")

    assert (made[0], changed[0], removed) == (0, 0, (0, "", ""))
    assert json.loads(changed[1])["text"] == "Review {{what}}."
    assert listed == (0, "review  what  Look\n", "")
    assert (offered.name, offered.description) == ("review", "Look")
    assert [each.content.text for each in filled.messages] == ["Review it."]  # type: ignore[union-attr]  # always text
    assert gone[0] != 0
    assert "kandev prompt list" in gone[2]
