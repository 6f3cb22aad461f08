"""What runs beside the agent of one instance, in the agent's own environment.

It is there as long as the agent is, and ends before it, so that whatever escapes its own end is
found with what the agent left.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from adapters.agentctl.server.backgrounds import SHELL, Backgrounds, Ending, Program
from adapters.agentctl.server.git_explanation import Kept, unpack
from adapters.agentctl.server.parts import Parts
from adapters.agentctl.server.terminals import OpenTerminals
from domain.background import Background, check_command, check_folder
from domain.outcome import Failure, Result, failed
from domain.terminal import MAX_SIDE, SessionTerminal, check_size
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Beside",)

TERM: Final = "xterm-256color"
"""What those who look at a terminal are, where the environment does not say."""

_SHELLS: Final = ("/bin/bash", "/bin/zsh", "/bin/sh")


class Beside:
    """`directory` is where the agent started; `noted` hears of each process, by pid and start."""

    def __init__(
        self,
        parts: Parts,
        kept: Kept,
        directory: Path,
        group: asyncio.TaskGroup,
        noted: Callable[[int, int], None],
    ) -> None:
        bounds = parts.bounds
        ending = Ending(bounds.terminate, bounds.kill)
        self._kept = kept
        self.directory = directory
        self._group = group
        self.backgrounds = Backgrounds(parts.beside, parts.redactor, parts.clock, ending, noted)
        self.of_agent = Backgrounds(parts.beside, parts.redactor, parts.clock, ending, noted)
        self.terminals = OpenTerminals(parts.terminals, parts.redactor, parts.clock, ending, noted)

    @property
    def identities(self) -> list[tuple[int, int]]:
        """Pid and start time of everything that runs."""
        return [
            *self.backgrounds.identities,
            *self.of_agent.identities,
            *self.terminals.identities,
        ]

    async def run(self, command: str, folder: str) -> Result[Background, RuntimeProblem]:
        """Start a background command in a folder below the agent's directory."""
        checked, below = check_command(command), check_folder(folder)
        if failed(checked) or failed(below):
            detail = "the command is none, or its folder leads out of the workspace"
            return Failure(RuntimeProblem(RuntimeCode.INVALID, detail))
        directory = str(self.directory / folder)
        program = Program([SHELL, "-c", command], command, directory, self.variables())
        return await self.backgrounds.start(self._group, program)

    async def run_for_agent(self, program: Program) -> Result[Background, RuntimeProblem]:
        """Start what the agent itself asks for."""
        return await self.of_agent.start(self._group, program)

    async def open(self, columns: int, rows: int) -> Result[SessionTerminal, RuntimeProblem]:
        """Open a terminal with the user's shell, where the agent started."""
        size = check_size(columns, rows)
        if failed(size):
            detail = f"a terminal has 1 to {MAX_SIDE} columns, and as many rows"
            return Failure(RuntimeProblem(RuntimeCode.INVALID, detail))
        environment = {"TERM": TERM, **self.variables()}
        return await self.terminals.open(
            self._group, _shell(environment), str(self.directory), environment, size.unwrap()
        )

    async def close(self) -> None:
        """End everything, at once."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.terminals.close())
            group.create_task(self.backgrounds.close())
            group.create_task(self.of_agent.close())

    def variables(self) -> Mapping[str, str]:
        """The agent's environment, whole."""
        return unpack(self._kept).environment.variables


def _shell(environment: Mapping[str, str]) -> str:
    """The user's shell, as the environment has it; it is not asked to log in."""
    wanted = (environment.get("SHELL", ""), *_SHELLS)
    usable = (each for each in wanted if each.startswith("/") and os.access(each, os.X_OK))
    return next(usable, _SHELLS[-1])
