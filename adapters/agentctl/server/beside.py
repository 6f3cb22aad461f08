"""What runs beside the agent of one instance, in the agent's own environment.

It is there as long as the agent is, and ends before it, so that whatever escapes its own end is
found with what the agent left.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from adapters.agentctl.server.backgrounds import Backgrounds, Ending
from adapters.agentctl.server.git_explanation import Kept, unpack
from adapters.agentctl.server.parts import Parts
from domain.background import Background, check_command, check_folder
from domain.outcome import Failure, Result, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Beside",)


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
        self._directory = directory
        self._group = group
        self.backgrounds = Backgrounds(parts.beside, parts.redactor, parts.clock, ending, noted)

    @property
    def identities(self) -> list[tuple[int, int]]:
        """Pid and start time of everything that runs."""
        return self.backgrounds.identities

    async def run(self, command: str, folder: str) -> Result[Background, RuntimeProblem]:
        """Start a background command in a folder below the agent's directory."""
        checked, below = check_command(command), check_folder(folder)
        if failed(checked) or failed(below):
            detail = "the command is none, or its folder leads out of the workspace"
            return Failure(RuntimeProblem(RuntimeCode.INVALID, detail))
        directory = str(self._directory / folder)
        return await self.backgrounds.start(self._group, command, directory, self._environment())

    async def close(self) -> None:
        """End everything, at once."""
        await self.backgrounds.close()

    def _environment(self) -> Mapping[str, str]:
        return unpack(self._kept).environment.variables
