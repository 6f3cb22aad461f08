"""Commands beside agents that are not there: as they are told to be, and remembered."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from typing_extensions import override

from domain.background import Background, BackgroundOutput, BackgroundState
from domain.execution import Handle
from domain.outcome import Failure, Result, Success
from ports.beside import Beside
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("FakeBeside",)


class FakeBeside(Beside):
    """Each command runs until it is stopped, and has said the same wherever it is read."""

    def __init__(self) -> None:
        self.commands: list[tuple[Handle, Background]] = []

    @override
    async def start(
        self, handle: Handle, command: str, folder: str
    ) -> Result[Background, RuntimeProblem]:
        started = Background(
            f"p{len(self.commands) + 1}",
            command,
            f"/workspace/{folder}",
            BackgroundState.RUNNING,
            None,
            None,
            0,
            datetime(2026, 1, 1, tzinfo=UTC),
            None,
        )
        self.commands.append((handle, started))
        return Success(started)

    @override
    async def all(self, handle: Handle) -> Result[Sequence[Background], RuntimeProblem]:
        return Success([command for whose, command in self.commands if whose == handle])

    @override
    async def output(
        self, handle: Handle, process: str, after: int
    ) -> Result[BackgroundOutput, RuntimeProblem]:
        found = self._command(handle, process)
        return found.map(lambda _: BackgroundOutput(after, after + 4, "said", ended=False))

    @override
    async def stop(self, handle: Handle, process: str) -> Result[Background, RuntimeProblem]:
        found = self._command(handle, process)
        return found.map(lambda each: replace(each, state=BackgroundState.STOPPED, signal=15))

    def _command(self, handle: Handle, process: str) -> Result[Background, RuntimeProblem]:
        for whose, command in self.commands:
            if whose == handle and command.id == process:
                return Success(command)
        return Failure(RuntimeProblem(RuntimeCode.NO_PROCESS, "there is no such process"))
