"""Commands beside agents that are not there: as they are told to be, and remembered."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from typing_extensions import override

from domain.background import Background, BackgroundOutput, BackgroundState
from domain.execution import Handle
from domain.outcome import Failure, Result, Success
from domain.terminal import SessionTerminal, TerminalSize
from ports.beside import Beside, TerminalLink
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("FakeBeside",)


class EchoLink(TerminalLink):
    """Shows what was typed and says what was said, until somebody types `bye`."""

    def __init__(self) -> None:
        self._said: asyncio.Queue[bytes | str] = asyncio.Queue()

    @property
    @override
    def code(self) -> int:
        return 1000

    @override
    async def receive(self) -> bytes | str | None:
        said = await self._said.get()
        return None if said == b"bye" else said

    @override
    async def send(self, said: bytes | str) -> None:
        self._said.put_nowait(said)


class FakeBeside(Beside):
    """Each command runs until it is stopped, and has said the same wherever it is read."""

    def __init__(self) -> None:
        self.commands: list[tuple[Handle, Background]] = []
        self.opened: list[tuple[Handle, SessionTerminal]] = []

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

    @override
    async def open_terminal(
        self, handle: Handle, size: TerminalSize
    ) -> Result[SessionTerminal, RuntimeProblem]:
        name = f"t{len(self.opened) + 1}"
        at = datetime(2026, 1, 1, tzinfo=UTC)
        opened = SessionTerminal(name, "/bin/sh", size.columns, size.rows, 0, at)
        self.opened.append((handle, opened))
        return Success(opened)

    @override
    async def terminals(self, handle: Handle) -> Result[Sequence[SessionTerminal], RuntimeProblem]:
        return Success([each for whose, each in self.opened if whose == handle])

    @override
    async def end_terminal(self, handle: Handle, terminal: str) -> Result[None, RuntimeProblem]:
        left = [each for each in self.opened if (each[0], each[1].id) != (handle, terminal)]
        if len(left) == len(self.opened):
            return Failure(RuntimeProblem(RuntimeCode.NO_TERMINAL, "there is no such terminal"))
        self.opened = left
        return Success(None)

    @override
    @asynccontextmanager
    async def look(self, handle: Handle, terminal: str) -> AsyncGenerator[TerminalLink]:
        if (handle, terminal) not in [(whose, each.id) for whose, each in self.opened]:
            raise ConnectionError("no agentctl runs")
        yield EchoLink()

    def _command(self, handle: Handle, process: str) -> Result[Background, RuntimeProblem]:
        for whose, command in self.commands:
            if whose == handle and command.id == process:
                return Success(command)
        return Failure(RuntimeProblem(RuntimeCode.NO_PROCESS, "there is no such process"))
