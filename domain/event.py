"""Events: what happened in a session, in the words that are stored and streamed.

agentctl numbers the events of one execution from 1; the control plane numbers those of a session,
across executions, from 1. `body` is a JSON object whose members depend on the kind and are listed
in `docs/specification/events.md`.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.identity import ExecutionId, SessionId

__all__ = ("EventKind", "ExecutionEvent", "Json", "SessionEvent")

Json = dict[str, object]


class EventKind(StrEnum):
    TURN_STARTED = "turn_started"
    MESSAGE_CHUNK = "message_chunk"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"
    TOOL_UPDATE = "tool_update"
    PLAN = "plan"
    AVAILABLE_COMMANDS = "available_commands"
    SESSION_MODE = "session_mode"
    SESSION_MODELS = "session_models"
    CONTEXT_WINDOW = "context_window"
    PERMISSION_REQUEST = "permission_request"
    PERMISSION_RESOLVED = "permission_resolved"
    SESSION_STATUS = "session_status"
    SCRIPT = "script"
    PUSH = "push"
    NOISE = "noise"
    ERROR = "error"
    COMPLETE = "complete"
    EXITED = "exited"


@dataclass(frozen=True, slots=True)
class ExecutionEvent:
    """An event as agentctl numbered it; `generation` is the turn's, None outside a turn."""

    sequence: int
    at: datetime
    kind: EventKind
    generation: int | None
    body: Json


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """An event as the control plane stored it."""

    session: SessionId
    sequence: int
    execution: ExecutionId
    execution_sequence: int
    at: datetime
    kind: EventKind
    generation: int | None
    body: Json
