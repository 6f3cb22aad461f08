"""How long and how much is allowed to an agent; the same for every agent, tested at each bound."""

from dataclasses import dataclass
from typing import Final

__all__ = ("AgentBounds",)

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class AgentBounds:
    """Seconds, lines and bytes. Tests shorten them; nothing else does."""

    initialize: float = 180.0
    session: float = 120.0
    """For `session/new` and `session/load`."""

    cancel: float = 10.0
    """An agent that has not ended a cancelled turn by then is no longer waited for."""

    late_updates: float = 0.05
    """Updates that follow the answer to a prompt within this time still belong to its turn."""

    gone: float = 1.0
    """From the end of its stdout, which nobody asked for, to TERM."""

    polite: float = 5.0
    """From the end of its stdin to TERM."""

    terminate: float = 2.0
    """From TERM to KILL."""

    kill: float = 2.0
    """From KILL until the process is given up as unkillable."""

    line: int = 16 * MIB
    """Bytes of one message of the agent's, its line break not counted."""

    noise_lines: int = 1000
    """Lines in a row that are no message; one more and the agent does not speak the protocol."""

    noise_line: int = 2048
    """Characters kept of a line that is no message."""

    stderr_lines: int = 50
    """The tail of its stderr that is kept."""

    stderr_line: int = 2048
    """Characters kept of one line of its stderr."""

    log: int = 64 * MIB
    """Bytes of events that nobody acknowledged; at this bound its stdout is no longer read."""

    permissions: int = 100
    """Permission requests open at once; one more is cancelled at once."""

    requests: int = 256
    """Requests of the agent's without an answer; at this bound its stdout is no longer read."""
