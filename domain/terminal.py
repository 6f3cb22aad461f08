"""Terminals of a session: what is told of one, and the bounds of their number, size and output."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from domain.outcome import Failure, Result, Success

__all__ = (
    "HISTORY_BYTES",
    "MAX_INPUT_BYTES",
    "MAX_SIDE",
    "MAX_TERMINALS",
    "MAX_VIEWERS",
    "InvalidSize",
    "SessionTerminal",
    "TerminalSize",
    "check_size",
)

MAX_TERMINALS: Final = 8
"""Terminals of one session at once."""

MAX_VIEWERS: Final = 16
"""Who looks at one terminal at once."""

HISTORY_BYTES: Final = 256 * 1024
"""The end of a terminal's output, which whoever attaches is given first."""

MAX_INPUT_BYTES: Final = 64 * 1024
"""What may be typed in one message."""

MAX_SIDE: Final = 1000
"""Columns, or rows."""


class TerminalSize(NamedTuple):
    columns: int = 80
    rows: int = 24


@dataclass(frozen=True, slots=True)
class SessionTerminal:
    """A terminal that is open. No value of its environment is here."""

    id: str
    program: str
    columns: int
    rows: int
    viewers: int
    started_at: datetime


@dataclass(frozen=True, slots=True)
class InvalidSize:
    """A terminal has 1 to `MAX_SIDE` columns, and as many rows."""


def check_size(columns: int, rows: int) -> Result[TerminalSize, InvalidSize]:
    if not (1 <= columns <= MAX_SIDE and 1 <= rows <= MAX_SIDE):
        return Failure(InvalidSize())
    return Success(TerminalSize(columns, rows))
