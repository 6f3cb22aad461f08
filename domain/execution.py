"""Executions: one run of an agent, with an identity that never changes and is never reused."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.identity import ExecutionId, SessionId, TaskId

__all__ = ("Execution", "ExecutionState", "ExecutorType", "Handle")


class ExecutorType(StrEnum):
    """Where the agent runs: in the repository's own checkout, or in a worktree of its own."""

    LOCAL = "local"
    WORKTREE = "worktree"


class ExecutionState(StrEnum):
    STARTING = "starting"
    LIVE = "live"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Handle:
    """What names an instance on every call: the three ids must belong together."""

    execution: ExecutionId
    task: TaskId
    session: SessionId


@dataclass(frozen=True, slots=True)
class Execution:
    """What is stored of an execution; `acknowledged` is its last event that is in the store."""

    id: ExecutionId
    task: TaskId
    session: SessionId
    executor: ExecutorType
    state: ExecutionState
    acknowledged: int
    created_at: datetime

    @property
    def handle(self) -> Handle:
        return Handle(self.id, self.task, self.session)
