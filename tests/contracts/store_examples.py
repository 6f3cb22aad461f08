"""A workspace with a task and all that hangs on it, as values to store."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from domain.connection import Connection, Kind, Status
from domain.credential_policy import Mode
from domain.event import EventKind, ExecutionEvent
from domain.execution import Execution, ExecutionState, ExecutorType
from domain.identity import (
    ConnectionId,
    ExecutionId,
    LeaseId,
    RepositoryId,
    SessionId,
    TaskId,
    TurnId,
    WorkspaceId,
)
from domain.lease import LEASE_LIFE, LeaseRecord, Scope
from domain.principal import HOME_OWNER
from domain.registered_repository import Repository
from domain.repository import RepositoryIdentity
from domain.session import Session, SessionState
from domain.task import Task, TaskRepository, TaskState
from domain.turn import Turn, TurnState
from domain.workspace import Workspace
from ports.store import Store

__all__ = ("NOW", "Example", "events", "stored")

NOW = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Example:
    """Values that refer to each other; `name` keeps two of them apart."""

    name: str = "a"

    @property
    def workspace(self) -> Workspace:
        return Workspace(WorkspaceId(f"ws_{self.name}"), HOME_OWNER, "Web shop", Mode.MANAGED, NOW)

    @property
    def connection(self) -> Connection:
        return Connection(
            ConnectionId(f"con_{self.name}"),
            self.workspace.id,
            "forge.example",
            Kind.GITEA,
            "robot",
            Status.ACTIVE,
            1,
            "-----BEGIN CERTIFICATE-----",
        )

    @property
    def repository(self) -> Repository:
        return Repository(
            RepositoryId(f"repo_{self.name}"),
            self.workspace.id,
            "shop",
            "https://forge.example/acme/shop.git",
            None,
            RepositoryIdentity("forge.example", "/acme/shop"),
            "main",
            NOW,
        )

    @property
    def task(self) -> Task:
        return Task(
            TaskId(f"task_{self.name}"),
            self.workspace.id,
            "Sell more",
            "Make the button bigger.\nGrößer! \N{ROCKET}",
            TaskState.OPEN,
            (TaskRepository(self.repository.id, "develop"),),
            NOW,
        )

    @property
    def session(self) -> Session:
        return Session(
            SessionId(f"ses_{self.name}"),
            self.task.id,
            "claude",
            SessionState.IDLE,
            ExecutionId(f"exec_{self.name}"),
            None,
            None,
            {"git_credential_snapshot": {"version": 1}, "list": [1, 2.5, None, True]},
            NOW,
        )

    @property
    def execution(self) -> Execution:
        return Execution(
            ExecutionId(f"exec_{self.name}"),
            self.task.id,
            self.session.id,
            ExecutorType.WORKTREE,
            ExecutionState.LIVE,
            0,
            NOW,
        )

    @property
    def turn(self) -> Turn:
        return Turn(
            TurnId(f"turn_{self.name}"),
            self.session.id,
            self.execution.id,
            1,
            "go",
            TurnState.RUNNING,
            NOW,
        )

    @property
    def lease(self) -> LeaseRecord:
        return LeaseRecord(
            LeaseId(f"lease_{self.name}"),
            sha256(self.name.encode()).digest(),
            Scope(
                self.workspace.id,
                self.task.id,
                self.session.id,
                self.execution.id,
                self.repository.id,
                RepositoryIdentity("forge.example", "/acme/shop"),
            ),
            self.connection.id,
            1,
            NOW,
            NOW + LEASE_LIFE,
        )

    def another_lease(self, name: str) -> LeaseRecord:
        return replace(self.lease, id=LeaseId(name), token_hash=sha256(name.encode()).digest())


def events(
    numbers: Iterable[int], kind: EventKind = EventKind.MESSAGE_CHUNK
) -> list[ExecutionEvent]:
    """Events of an execution with these numbers, a second apart."""
    return [
        ExecutionEvent(number, NOW + timedelta(seconds=number), kind, 1, {"text": f"{number}"})
        for number in numbers
    ]


async def stored(store: Store, example: Example) -> Example:
    """Store all of the example but its lease and its turn."""
    async with store.write() as unit:
        await unit.put_workspace(example.workspace)
        await unit.put_connection(example.connection, b"sealed")
        await unit.put_repository(example.repository)
        await unit.put_task(example.task)
        await unit.add_session(example.session)
        await unit.put_execution(example.execution)
    return example
