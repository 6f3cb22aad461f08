"""An agent of a session that is told what to run, and what its git and its environment are."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain.git_config import Entry
from tests.e2e.kandev import Driver, call, script

SHELL = frozenset({"PWD", "OLDPWD", "SHLVL", "_"})
"""What the shell adds that an agent's command runs in."""


@dataclass
class Agent:
    """Talks to the scripted agent of one session."""

    kandev: Driver
    session: str
    folder: Path
    seen: int = 0

    async def runs(self, *commands: str) -> list[str]:
        """Have it run these in its worktree, in one turn; how each ended."""
        events = await self.kandev.turn(
            self.session, script(*(call("run", command) for command in commands)), self.seen
        )
        self.seen = events[-1]["sequence"]
        states = [event["body"].get("status") for event in events if event["kind"] == "tool_update"]
        return [state for state in states if state in {"complete", "error"}]

    async def git_sees(self) -> list[Entry]:
        """The configuration that git takes from the environment, as git itself lists it."""
        told = self.folder / "listed"
        await self.runs(f"git config --list --null --show-scope > {told}")
        words = os.fsdecode(told.read_bytes()).split("\0")
        pairs = zip(words[::2], words[1::2], strict=False)
        return [Entry(*each.split("\n", 1)) for scope, each in pairs if scope == "command"]

    async def environment(self) -> dict[str, str]:
        """Its variables, less those of the shell."""
        told = self.folder / "environment"
        await self.runs(f"env -0 > {told}")
        pairs = (each.partition("=") for each in os.fsdecode(told.read_bytes()).split("\0") if each)
        return {name: value for name, _, value in pairs if name not in SHELL}


async def launched(kandev: Driver, task: str, folder: Path, **options: Any) -> Agent:
    folder.mkdir(exist_ok=True)
    return Agent(kandev, (await kandev.launch(task, **options))["id"], folder)
