"""Profiles from the command line: kept, launched with, and silent about their secrets."""

import json
from pathlib import Path

import pytest

from tests.e2e.kandev import Installation, call, script
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

VALUE = "kept-out-of-sight"


@requirement("profile:command")
@requirement("profile:secret")
@requirement("profile:start")
async def test_a_profile_is_set_shown_run_with_and_removed(
    installation: Installation, checkout: Path, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    prompt = script(call("run", f'printf "%s %s" "$PLAIN" "$TOKEN" > {told}; echo $TOKEN'))
    run = ("run", "--repo", str(checkout), "--profile", "Fast", "--executor-profile", "Here")

    async with installation.server():
        made = await installation.command(
            *("profile", "set", "agent", "Fast", "--agent", "demo", "--env", "PLAIN=first"),
            *("--secret", "TOKEN"),
            told=f"{VALUE}\n",
        )
        where = await installation.command("profile", "set", "executor", "Here")
        changed = await installation.command(
            "profile", "set", "agent", "Fast", "--env", "PLAIN=second"
        )
        listed = await installation.command("profile", "list")
        ran = await installation.command(*run, "--json", prompt)
        removed = await installation.command("profile", "remove", "agent", "Fast")
        gone = await installation.command("profile", "show", "agent", "Fast")

    profile = json.loads(changed[1])
    assert (made[0], where[0], changed[0], removed) == (0, 0, 0, (0, "", ""))
    assert profile["agent"] == "demo"
    assert (profile["environment"], profile["secrets"]) == ({"PLAIN": "second"}, ["TOKEN"])
    assert listed[1].splitlines() == [
        f"agent     Fast  {profile['id']}  demo",
        f"executor  Here  {json.loads(where[1])['id']}  worktree",
    ]
    assert ran[0] == 0, ran[2]
    assert told.read_text(encoding="utf-8") == f"second {VALUE}"
    assert gone[0] == 1
    assert "[agent_profile_not_found]" in gone[2]
    printed = "".join(each[1] + each[2] for each in (made, where, changed, listed, ran, gone))
    assert VALUE not in printed
    assert "[REDACTED]" in ran[1]
