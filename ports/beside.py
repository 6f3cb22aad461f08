"""What runs beside the agent of a running instance, in the agent's own environment."""

from collections.abc import Sequence
from typing import Protocol

from domain.background import Background, BackgroundOutput
from domain.execution import Handle
from domain.outcome import Result
from ports.runtime import RuntimeProblem

__all__ = ("Beside",)


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
