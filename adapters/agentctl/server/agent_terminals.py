"""Commands that an agent has run for it: beside it, in its environment, ended with it.

What the agent adds to the environment is composed with it as every layer is.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from typing_extensions import override

from adapters.agentctl.server.backgrounds import SHELL, Backgrounds, Program
from adapters.agentctl.server.beside import Beside
from adapters.agentctl.server.served_terminals import AskedCommand, ServedTerminals, TerminalOutput
from domain import environment
from domain.background import OUTPUT_BYTES
from domain.environment import Layer, LayerName
from domain.environment_sentence import sentence
from domain.outcome import Failure, Result, Success, failed
from ports.processes import Exit
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AgentTerminals",)

_NUL: Final = RuntimeProblem(RuntimeCode.INVALID, "a command holds a NUL")


class AgentTerminals(ServedTerminals):
    """`beside` gives what runs beside the agent, while that runs."""

    __slots__ = ("_beside",)

    def __init__(self, beside: Callable[[], Result[Beside, RuntimeProblem]]) -> None:
        self._beside = beside

    @override
    async def create(self, asked: AskedCommand) -> Result[str, RuntimeProblem]:
        found = self._beside()
        if failed(found):
            return found
        beside = found.unwrap()
        layers = [
            Layer(LayerName.HOST, beside.variables()),
            Layer(LayerName.REQUEST, asked.variables),
        ]
        composed = environment.compose(layers)
        if failed(composed):
            return Failure(RuntimeProblem(RuntimeCode.ENVIRONMENT, sentence(composed.failure())))
        words = [asked.command, *asked.arguments, asked.directory or ""]
        if "\0" in "".join(words) or not asked.command.strip():
            return Failure(_NUL)
        directory = asked.directory or str(beside.directory)
        program = Program(
            _words(asked, directory, composed.unwrap()),
            " ".join([asked.command, *asked.arguments]),
            directory,
            composed.unwrap(),
            min(OUTPUT_BYTES if asked.limit is None else asked.limit, OUTPUT_BYTES),
        )
        started = await beside.run_for_agent(program)
        return started.map(lambda background: background.id)

    @override
    def output(self, terminal: str) -> Result[TerminalOutput, RuntimeProblem]:
        known = self._known()
        return known if failed(known) else known.unwrap().whole(terminal)

    @override
    async def wait(self, terminal: str) -> Result[Exit, RuntimeProblem]:
        known = self._known()
        return known if failed(known) else await known.unwrap().wait(terminal)

    @override
    async def kill(self, terminal: str) -> Result[None, RuntimeProblem]:
        known = self._known()
        if failed(known):
            return known
        stopped = await known.unwrap().stop(terminal)
        return stopped.map(lambda _: None)

    @override
    async def release(self, terminal: str) -> Result[None, RuntimeProblem]:
        killed = await self.kill(terminal)
        known = self._known()
        if failed(killed) or failed(known):
            return killed
        known.unwrap().forget(terminal)
        return Success(None)

    def _known(self) -> Result[Backgrounds, RuntimeProblem]:
        return self._beside().map(lambda beside: beside.of_agent)


def _words(asked: AskedCommand, directory: str, variables: Mapping[str, str]) -> list[str]:
    """The program with its arguments; without any, what is no program is a line for the shell."""
    command = asked.command
    if "/" in command:
        found = str(Path(directory, command))
    else:
        found = shutil.which(command, path=variables.get("PATH", os.defpath)) or command
    if not asked.arguments and not os.access(found, os.X_OK):
        return [SHELL, "-c", command]
    return [found, *asked.arguments]
