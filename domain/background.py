"""Background commands of a session: what is told of one, and how many and how much there may be."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_COMMAND_BYTES",
    "MAX_KEPT",
    "MAX_RUNNING",
    "OUTPUT_BYTES",
    "READ_BYTES",
    "Background",
    "BackgroundOutput",
    "BackgroundState",
    "InvalidCommand",
    "check_command",
    "check_folder",
)

MAX_RUNNING: Final = 16
"""Commands of one session that run at once."""

MAX_KEPT: Final = 32
"""Commands of one session that are told of; the oldest that has ended makes room."""

OUTPUT_BYTES: Final = 2 * 1024 * 1024
"""The end of a command's output that is kept."""

READ_BYTES: Final = 256 * 1024
"""What is given of an output at once."""

MAX_COMMAND_BYTES: Final = 64 * 1024
"""The longest command, in bytes of UTF-8: it is one argument of a shell."""


class BackgroundState(StrEnum):
    RUNNING = "running"
    EXITED = "exited"
    """With status 0."""
    FAILED = "failed"
    STOPPED = "stopped"
    """By somebody who asked for it."""


@dataclass(frozen=True, slots=True)
class Background:
    """`exit` is its status and `signal` what ended it, None while it runs.

    `output` is how many bytes it has written. No value of its environment is here.
    """

    id: str
    command: str
    directory: str
    state: BackgroundState
    exit: int | None
    signal: int | None
    output: int
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class BackgroundOutput:
    """A piece of both its outputs, in the order they came, without secrets.

    `begin` counts the bytes before it, `next` is what to ask after. `ended`: nothing follows.
    """

    begin: int
    next: int
    text: str
    ended: bool


@dataclass(frozen=True, slots=True)
class InvalidCommand:
    """The command is blank, too long or holds a NUL, or its folder leads out of the workspace."""


def check_command(command: str) -> Result[str, InvalidCommand]:
    """The command, when a shell can be given it."""
    size = len(command.encode("utf-8", "surrogatepass"))
    if not command.strip() or "\0" in command or size > MAX_COMMAND_BYTES:
        return Failure(InvalidCommand())
    return Success(command)


def check_folder(folder: str) -> Result[str, InvalidCommand]:
    """A folder below the workspace, named relative to it; empty for the workspace itself."""
    segments = folder.split("/") if folder else []
    if "\0" in folder or any(segment in {"", ".", ".."} for segment in segments):
        return Failure(InvalidCommand())
    return Success(folder)
