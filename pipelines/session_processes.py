"""Background commands of a session, for a person: started, told of, read and stopped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.background import (
    Background,
    BackgroundOutput,
    InvalidCommand,
    check_command,
    check_folder,
)
from domain.identity import SessionId
from domain.outcome import Result, failed
from domain.principal import Principal
from pipelines.ensure_instance import EnsureInstance, EnsureProblem
from ports.beside import Beside
from ports.runtime import RuntimeProblem

__all__ = ("ProcessProblem", "SessionProcesses")

ProcessProblem: TypeAlias = EnsureProblem | InvalidCommand | RuntimeProblem


@dataclass(frozen=True, slots=True)
class SessionProcesses:
    """A look starts nothing: without an instance it says so."""

    ensure: EnsureInstance
    beside: Beside

    async def start(
        self, principal: Principal, session: SessionId, command: str, folder: str
    ) -> Result[Background, ProcessProblem]:
        """Run a command in a folder below the directory that the agent works in.

        The session's instance is started where none runs.
        """
        checked, below = check_command(command), check_folder(folder)
        if failed(checked):
            return checked
        if failed(below):
            return below
        handle = await self.ensure(principal, session)
        if failed(handle):
            return handle
        return await self.beside.start(handle.unwrap(), command, folder)

    async def all(
        self, principal: Principal, session: SessionId
    ) -> Result[Sequence[Background], ProcessProblem]:
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.beside.all(handle.unwrap())

    async def output(
        self, principal: Principal, session: SessionId, process: str, after: int
    ) -> Result[BackgroundOutput, ProcessProblem]:
        handle = await self.ensure.present(principal, session)
        if failed(handle):
            return handle
        return await self.beside.output(handle.unwrap(), process, after)

    async def stop(
        self, principal: Principal, session: SessionId, process: str
    ) -> Result[Background, ProcessProblem]:
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.beside.stop(handle.unwrap(), process)
