"""Sessions: one agent's conversation on a task, across stops and resumes.

A session outlives its executions: each launch or resume makes a new one. Which state may follow
which is `next_state`, and nothing else.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.identity import ExecutionId, ProfileId, SessionId, TaskId
from domain.outcome import Failure, Result, Success

__all__ = (
    "LIVE",
    "UNSETTLED",
    "Move",
    "NotAllowed",
    "Session",
    "SessionFailure",
    "SessionState",
    "next_state",
)


class SessionState(StrEnum):
    STARTING = "starting"
    IDLE = "idle"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"


LIVE = frozenset({SessionState.STARTING, SessionState.IDLE, SessionState.RUNNING})
"""The states in which leases are honoured."""

UNSETTLED = frozenset({SessionState.STARTING, SessionState.STOPPING})
"""The states that somebody is about to end: by a start, or by a stop."""


class Move(StrEnum):
    """What happens to a session."""

    STARTED = "started"
    START_FAILED = "start_failed"
    TURN_BEGAN = "turn_began"
    TURN_ENDED = "turn_ended"
    STOP_ASKED = "stop_asked"
    ENDED = "ended"
    RESUME_ASKED = "resume_asked"


_MOVES: dict[tuple[SessionState, Move], SessionState] = {
    (SessionState.STARTING, Move.STARTED): SessionState.IDLE,
    (SessionState.STARTING, Move.START_FAILED): SessionState.FAILED,
    (SessionState.STARTING, Move.STOP_ASKED): SessionState.STOPPING,
    (SessionState.STARTING, Move.ENDED): SessionState.FAILED,
    (SessionState.IDLE, Move.TURN_BEGAN): SessionState.RUNNING,
    (SessionState.IDLE, Move.STOP_ASKED): SessionState.STOPPING,
    (SessionState.IDLE, Move.ENDED): SessionState.STOPPED,
    (SessionState.RUNNING, Move.TURN_ENDED): SessionState.IDLE,
    (SessionState.RUNNING, Move.STOP_ASKED): SessionState.STOPPING,
    (SessionState.RUNNING, Move.ENDED): SessionState.STOPPED,
    (SessionState.STOPPING, Move.TURN_ENDED): SessionState.STOPPING,
    (SessionState.STOPPING, Move.START_FAILED): SessionState.STOPPED,
    (SessionState.STOPPING, Move.ENDED): SessionState.STOPPED,
    (SessionState.STOPPED, Move.RESUME_ASKED): SessionState.STARTING,
    (SessionState.FAILED, Move.RESUME_ASKED): SessionState.STARTING,
}


@dataclass(frozen=True, slots=True)
class NotAllowed:
    """The move does not apply to a session in this state."""

    state: SessionState
    move: Move


def next_state(state: SessionState, move: Move) -> Result[SessionState, NotAllowed]:
    following = _MOVES.get((state, move))
    return Success(following) if following else Failure(NotAllowed(state, move))


@dataclass(frozen=True, slots=True)
class SessionFailure:
    """Why a session is in `FAILED`: a stable code and a sentence that holds no secret."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Session:
    """What is stored of a session.

    `execution` is the current or last one; `acp_session` the agent's own id of the conversation,
    kept until the user starts afresh; `metadata` a JSON object, where the credential snapshot of
    the last successful launch or resume lives under `git_credential_snapshot`; `version` grows
    with every write and is compared when two writers meet. The profiles are those it was last
    started with, perhaps deleted since.
    """

    id: SessionId
    task: TaskId
    agent: str
    state: SessionState
    execution: ExecutionId | None
    acp_session: str | None
    failure: SessionFailure | None
    metadata: dict[str, object]
    created_at: datetime
    version: int = 0
    agent_profile: ProfileId | None = None
    executor_profile: ProfileId | None = None
