"""Turns: a prompt and everything that the agent does until it answers that it is done.

A turn has a generation that travels with the prompt and comes back with its end, so that a late
or repeated ending finds nothing to end.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.identity import ExecutionId, SessionId, TurnId

__all__ = ("Ending", "Turn", "TurnState", "ends")


class TurnState(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended; `stop_reason` is the agent's own word, `error` a sentence when it failed."""

    generation: int
    state: TurnState
    stop_reason: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    id: TurnId
    session: SessionId
    execution: ExecutionId
    generation: int
    prompt: str
    state: TurnState
    started_at: datetime
    ended_at: datetime | None = None
    stop_reason: str | None = None
    error: str | None = None


def ends(turn: Turn, ending: Ending) -> bool:
    """Whether this ending is the turn's first and own."""
    return turn.state is TurnState.RUNNING and turn.generation == ending.generation
