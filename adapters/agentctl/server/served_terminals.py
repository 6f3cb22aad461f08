"""What an agent may ask of terminals: commands that it has run beside it, and reads later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from domain.outcome import Result
from ports.processes import Exit
from ports.runtime import RuntimeProblem

__all__ = ("AskedCommand", "ServedTerminals", "TerminalOutput")


@dataclass(frozen=True, slots=True)
class AskedCommand:
    """`directory` is absolute, None where the agent works; `limit` are bytes of output to keep."""

    command: str
    arguments: Sequence[str]
    variables: Mapping[str, str] = field(repr=False)
    directory: str | None
    limit: int | None


class TerminalOutput(NamedTuple):
    """`truncated`: the beginning is gone. `ended` is None while it runs."""

    text: str
    truncated: bool
    ended: Exit | None


class ServedTerminals(Protocol):
    """Each is known by the id that `create` gave, until it is released."""

    __slots__ = ()

    async def create(self, asked: AskedCommand) -> Result[str, RuntimeProblem]: ...

    def output(self, terminal: str) -> Result[TerminalOutput, RuntimeProblem]: ...

    async def wait(self, terminal: str) -> Result[Exit, RuntimeProblem]: ...

    async def kill(self, terminal: str) -> Result[None, RuntimeProblem]:
        """End it with all its descendants; it can still be read."""
        ...

    async def release(self, terminal: str) -> Result[None, RuntimeProblem]:
        """End it, and forget it."""
        ...
