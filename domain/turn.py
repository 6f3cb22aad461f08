"""Turns: a prompt and everything that the agent does until it answers that it is done.

A turn has a generation that travels with the prompt and comes back with its end, so that a late
or repeated ending finds nothing to end.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from domain.event import EventKind, ExecutionEvent
from domain.failure_reason import FailureReason
from domain.identity import ExecutionId, SessionId, TurnId
from domain.turn_evidence import UNKNOWN, Evidence, Unknown, load

__all__ = ("Ending", "Turn", "TurnState", "ended", "ending", "ends", "interrupted")


class TurnState(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended: `stop_reason` is the agent's own word, `error` a sentence on failure.

    `reason` classifies the error of a failed turn; `evidence` is what it left behind.
    """

    generation: int
    state: TurnState
    stop_reason: str | None = None
    error: str | None = None
    reason: FailureReason | None = None
    evidence: Evidence | Unknown = UNKNOWN


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
    reason: FailureReason | None = None
    evidence: Evidence | Unknown = UNKNOWN


def ends(turn: Turn, ending: Ending) -> bool:
    """Whether this ending is the turn's first and own."""
    return turn.state is TurnState.RUNNING and turn.generation == ending.generation


def ending(event: ExecutionEvent) -> Ending | None:
    """The ending that an event reports, None for every other event.

    A state that is not known is `UNKNOWN`, not guessed.
    """
    if event.kind is not EventKind.COMPLETE or event.generation is None:
        return None
    told = event.body.get("state")
    state = next((each for each in TurnState if each.value == told), TurnState.UNKNOWN)
    if state is TurnState.RUNNING:
        state = TurnState.UNKNOWN
    return Ending(
        event.generation,
        state,
        _text(event.body, "stop_reason"),
        _text(event.body, "error"),
        _reason(event.body),
        load(event.body.get("evidence")),
    )


def ended(turn: Turn, how: Ending, at: datetime) -> Turn:
    return replace(
        turn,
        state=how.state,
        ended_at=at,
        stop_reason=how.stop_reason,
        error=how.error,
        reason=how.reason,
        evidence=how.evidence,
    )


def interrupted(turn: Turn) -> Ending:
    """What ends a turn whose agent is gone without a word."""
    return Ending(turn.generation, TurnState.INTERRUPTED, None, "the agent ended during the turn")


def _reason(body: dict[str, object]) -> FailureReason | None:
    told = body.get("reason")
    return next((each for each in FailureReason if each.value == told), None)


def _text(body: dict[str, object], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None
