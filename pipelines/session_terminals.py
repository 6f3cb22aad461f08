"""Terminals of a session, for a person: opened, listed, looked at and ended."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.identity import SessionId
from domain.outcome import Result, Success, failed
from domain.principal import Principal
from domain.terminal import InvalidSize, SessionTerminal, check_size
from pipelines.ensure_instance import EnsureInstance, EnsureProblem
from ports.beside import Beside, TerminalLink
from ports.runtime import RuntimeProblem

__all__ = ("SessionTerminals", "TerminalProblem")

TerminalProblem: TypeAlias = EnsureProblem | InvalidSize


@dataclass(frozen=True, slots=True)
class SessionTerminals:
    """A look starts nothing: without an instance it says so."""

    ensure: EnsureInstance
    beside: Beside

    async def open(
        self, principal: Principal, session: SessionId, columns: int, rows: int
    ) -> Result[SessionTerminal, TerminalProblem]:
        """Open one where the agent works; the instance is started where none runs."""
        size = check_size(columns, rows)
        if failed(size):
            return size
        handle = await self.ensure(principal, session)
        if failed(handle):
            return handle
        return await self.beside.open_terminal(handle.unwrap(), size.unwrap())

    async def all(
        self, principal: Principal, session: SessionId
    ) -> Result[Sequence[SessionTerminal], TerminalProblem]:
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.beside.terminals(handle.unwrap())

    async def end(
        self, principal: Principal, session: SessionId, terminal: str
    ) -> Result[None, TerminalProblem]:
        """Hang up, and end whatever runs on it."""
        handle = await self.ensure.present(principal, session)
        if failed(handle):
            return handle
        return await self.beside.end_terminal(handle.unwrap(), terminal)

    async def look(
        self, principal: Principal, session: SessionId, terminal: str
    ) -> Result[AbstractAsyncContextManager[TerminalLink], NotFound | RuntimeProblem]:
        """What to enter to look at it, and to type."""
        handle = await self.ensure.present(principal, session)
        if failed(handle):
            return handle
        return Success(self.beside.look(handle.unwrap(), terminal))
