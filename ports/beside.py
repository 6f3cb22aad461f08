"""What runs beside the agent of a running instance, in the agent's own environment."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from domain.background import Background, BackgroundOutput
from domain.execution import Handle
from domain.outcome import Result
from domain.terminal import SessionTerminal, TerminalSize
from ports.runtime import RuntimeProblem

__all__ = ("Beside", "TerminalLink")


class TerminalLink(Protocol):
    """One viewer of a terminal: what is shown and typed is `bytes`, what is said about it `str`.

    Shown first is what is kept of its output. The texts are JSON objects with a `type`: `lost` with
    `bytes` and, last, `ended` with `exit` and `signal`; from the viewer, `resize` with `columns`
    and `rows`.
    """

    @property
    def code(self) -> int:
        """How the link was closed, in the numbers of a WebSocket (RFC 6455, section 7.4)."""
        ...

    async def receive(self) -> bytes | str | None:
        """What comes next, None once the link is closed."""
        ...

    async def send(self, said: bytes | str) -> None:
        """Hand it on; nothing happens once the link is closed."""
        ...


class Beside(Protocol):
    """Everything here ends with the agent. Requests were checked."""

    async def start(
        self, handle: Handle, command: str, folder: str
    ) -> Result[Background, RuntimeProblem]:
        """Run a command by the POSIX shell, in a folder below the agent's directory."""
        ...

    async def all(self, handle: Handle) -> Result[Sequence[Background], RuntimeProblem]:
        """The background commands, those that have ended included, oldest first."""
        ...

    async def output(
        self, handle: Handle, process: str, after: int
    ) -> Result[BackgroundOutput, RuntimeProblem]:
        """What a command has written after its first `after` bytes, as far as it is kept."""
        ...

    async def stop(self, handle: Handle, process: str) -> Result[Background, RuntimeProblem]:
        """End a command with all its descendants. Idempotent."""
        ...

    async def open_terminal(
        self, handle: Handle, size: TerminalSize
    ) -> Result[SessionTerminal, RuntimeProblem]:
        """Open a terminal with the user's shell, where the agent started."""
        ...

    async def terminals(self, handle: Handle) -> Result[Sequence[SessionTerminal], RuntimeProblem]:
        """Those that are open, in the order they were opened."""
        ...

    async def end_terminal(self, handle: Handle, terminal: str) -> Result[None, RuntimeProblem]:
        """Hang up, and end whatever runs on it."""
        ...

    def look(self, handle: Handle, terminal: str) -> AbstractAsyncContextManager[TerminalLink]:
        """Look at a terminal as long as the context lasts. Raises `ConnectionError`."""
        ...
