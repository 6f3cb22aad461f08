"""The store: units of work over everything that must outlive the process.

`write()` opens the one writer: what is done inside becomes durable together when the block ends,
or not at all when it raises. `read()` sees one consistent state and never waits for a writer. An
absent row is `None`, never an error. Records given out are values; changing them changes nothing.

When the world fails (disk full, database damaged, locked by another process for too long) every
operation raises `StoreUnavailable`, and what the unit did is undone.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from domain.access import Standing
from domain.access_token import AccessToken
from domain.connection import Connection
from domain.event import ExecutionEvent, SessionEvent
from domain.execution import Execution, ExecutionState, Handle
from domain.identity import (
    ConnectionId,
    ExecutionId,
    InquiryId,
    LeaseId,
    ProfileId,
    PromptId,
    QueuedId,
    RepositoryId,
    SessionId,
    TaskId,
    TokenId,
    TurnId,
    UserId,
    WorkspaceId,
)
from domain.inquiry import Inquiry
from domain.lease import LeaseRecord
from domain.ledger import LedgerEntry, LedgerQuery
from domain.membership import Member
from domain.profile import Profile, ProfileKind
from domain.prompt_queue import QueuedPrompt
from domain.registered_repository import Repository
from domain.repository_settings import RepositorySettings
from domain.saved_prompt import SavedPrompt
from domain.session import Session, SessionState
from domain.step_report import StepReport
from domain.stored_environment import StoredEnvironment
from domain.tally import Tally
from domain.task import Task
from domain.task_event import TaskEvent
from domain.task_plan import TaskPlan
from domain.turn import Turn
from domain.workspace import Workspace
from ports.accounts import AccountReader, AccountWriter
from ports.agentctl_record import AgentctlRecord
from ports.audit import AuditReader, AuditWriter
from ports.changes import Changes
from ports.vault import SealedValue

__all__ = ("ALL", "Reader", "Store", "StoreFault", "StoreUnavailable", "Writer")


ALL: Final = 2**63 - 1
"""The limit of a list that is read whole: what one decision has to see, never what is shown."""


class StoreFault(StrEnum):
    """Why the store cannot serve, stable on the wire."""

    BUSY = "store_busy"
    DISK_FULL = "disk_full"
    READ_ONLY = "store_read_only"
    DAMAGED = "store_damaged"
    UNREADABLE = "store_unreadable"


class StoreUnavailable(Exception):  # noqa: N818 -- it says what is, as the problems do
    """The store cannot serve now; nothing of the unit of work is stored."""

    def __init__(self, fault: StoreFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


class Reader(AccountReader, AuditReader, Protocol):
    """What can be asked of the store; a list is by id, strictly after `after`, at most `limit`."""

    async def workspace(self, workspace: WorkspaceId) -> Workspace | None: ...
    async def workspaces(self, after: str | None, limit: int) -> Sequence[Workspace]: ...
    async def workspaces_of(
        self, user: UserId, after: str | None, limit: int
    ) -> Sequence[Workspace]:
        """Those that the user owns or is a member of, by id, strictly after `after`."""
        ...

    async def standing(self, workspace: WorkspaceId, user: UserId) -> Standing | None:
        """What the user is to the workspace; None for nothing, and where there is none."""
        ...

    async def members(
        self, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Sequence[Member]:
        """Its members without its owner, by user, strictly after `after`."""
        ...

    async def connection(self, connection: ConnectionId) -> Connection | None: ...
    async def connections(
        self, workspace: WorkspaceId, after: str | None = None, limit: int = ALL
    ) -> Sequence[Connection]: ...
    async def connection_secret(self, connection: ConnectionId) -> bytes | None:
        """The sealed secret; only the vault can open it."""
        ...

    async def sealed_values(self) -> Sequence[bytes]:
        """Everything sealed that is stored: the installation's key must open each of them."""
        ...

    async def sealed_otherwise(self, beginning: bytes, limit: int) -> Sequence[SealedValue]:
        """Sealed values that do not begin so, at most so many."""
        ...

    async def repository(self, repository: RepositoryId) -> Repository | None: ...
    async def repositories(
        self, workspace: WorkspaceId, after: str | None = None, limit: int = ALL
    ) -> Sequence[Repository]: ...
    async def repository_settings(self, repository: RepositoryId) -> RepositorySettings:
        """What was put for the repository; else what holds for every repository."""
        ...

    async def repository_environment(self, repository: RepositoryId) -> StoredEnvironment:
        """The variables of the repository's own layer; none when nothing was put."""
        ...

    async def profile(self, profile: ProfileId) -> Profile | None: ...
    async def profile_named(
        self, workspace: WorkspaceId, kind: ProfileKind, name: str
    ) -> Profile | None: ...
    async def profiles(
        self, workspace: WorkspaceId, kind: ProfileKind, after: str | None, limit: int
    ) -> Sequence[Profile]: ...
    async def task(self, task: TaskId) -> Task | None: ...
    async def tasks(
        self, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Sequence[Task]: ...
    async def children(self, task: TaskId) -> Sequence[Task]:
        """The tasks that are parts of this one, by id."""
        ...

    async def task_named(self, workspace: WorkspaceId, external_id: str) -> Task | None:
        """The one to which a client gave this name; names are compared byte by byte."""
        ...

    async def plan(self, task: TaskId) -> TaskPlan | None: ...
    async def report(self, task: TaskId) -> StepReport | None:
        """The last that an agent of the task gave."""
        ...

    async def saved_prompt(self, prompt: PromptId) -> SavedPrompt | None: ...
    async def saved_prompt_named(self, workspace: WorkspaceId, name: str) -> SavedPrompt | None: ...
    async def saved_prompts(
        self, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Sequence[SavedPrompt]: ...
    async def access_token(self, digest: str) -> AccessToken | None:
        """The one whose text has this digest."""
        ...

    async def access_tokens(
        self, user: UserId, after: str | None, limit: int
    ) -> Sequence[AccessToken]: ...
    async def inquiry(self, inquiry: InquiryId) -> Inquiry | None: ...
    async def open_inquiries(
        self, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Sequence[Inquiry]:
        """What the agents of a workspace ask and nobody answered, by id, after `after`."""
        ...

    async def task_events(self, after: int, limit: int) -> Sequence[TaskEvent]:
        """What happened to tasks, by sequence, strictly after `after`."""
        ...

    async def session(self, session: SessionId) -> Session | None: ...
    async def sessions(
        self, task: TaskId, after: str | None = None, limit: int = ALL
    ) -> Sequence[Session]: ...
    async def sessions_of(self, user: UserId) -> Sequence[Session]:
        """Those of the workspaces that the user works in."""
        ...

    async def sessions_in(self, states: Sequence[SessionState]) -> Sequence[Session]: ...

    async def execution(self, execution: ExecutionId) -> Execution | None: ...
    async def executions_in(self, states: Sequence[ExecutionState]) -> Sequence[Execution]: ...

    async def turn(self, turn: TurnId) -> Turn | None: ...
    async def turns(
        self, session: SessionId, after: TurnId | None = None, limit: int = ALL
    ) -> Sequence[Turn]:
        """In the order of their generations, strictly after that of the turn `after`."""
        ...

    async def last_turn(self, session: SessionId) -> Turn | None:
        """The one of the highest generation."""
        ...

    async def running_turn(self, session: SessionId) -> Turn | None: ...
    async def queue(self, session: SessionId) -> Sequence[QueuedPrompt]:
        """By position."""
        ...

    async def events(self, session: SessionId, after: int, limit: int) -> Sequence[SessionEvent]:
        """By sequence, strictly after `after`."""
        ...

    async def lease(self, token_hash: bytes) -> LeaseRecord | None: ...
    async def leases(self, execution: ExecutionId) -> Sequence[LeaseRecord]: ...
    async def live_leases(self, workspace: WorkspaceId, now: datetime) -> int:
        """How many of the workspace's leases are neither revoked nor expired."""
        ...

    async def ledger(self, query: LedgerQuery) -> Sequence[LedgerEntry]:
        """A page of the ledger, in the order of the entries' numbers."""
        ...

    async def unmatched_redemptions(
        self, handle: Handle, repository: RepositoryId, since: datetime
    ) -> Sequence[LedgerEntry]:
        """The granted ones of an execution that no push was matched with, in order."""
        ...

    async def tally(self) -> Tally: ...
    async def agentctl(self) -> AgentctlRecord | None:
        """The agentctl of this machine, as it was last started."""
        ...


class Writer(Reader, AccountWriter, AuditWriter, Protocol):
    """What can be done in a unit of work."""

    async def put_workspace(self, workspace: Workspace) -> None: ...
    async def remove_workspace(self, workspace: WorkspaceId) -> bool:
        """Remove a workspace with its connections and repositories; False when it is absent.

        Its tasks are removed before: each removal is an event of its own.
        """
        ...

    async def put_member(self, workspace: WorkspaceId, member: Member) -> None:
        """Insert or replace."""
        ...

    async def remove_member(self, workspace: WorkspaceId, user: UserId) -> bool:
        """False when the workspace has no such member."""
        ...

    async def put_connection(self, connection: Connection, sealed: bytes) -> None:
        """Insert or replace; the secret is replaced in the same unit."""
        ...

    async def remove_connection(self, connection: ConnectionId) -> None: ...
    async def next_revision(self, workspace: WorkspaceId, host: str) -> int:
        """A connection revision never given before for this host, not even after a removal."""
        ...

    async def put_repository(self, repository: Repository) -> None: ...
    async def put_repository_settings(
        self, repository: RepositoryId, settings: RepositorySettings
    ) -> None: ...
    async def put_repository_environment(
        self, repository: RepositoryId, environment: StoredEnvironment
    ) -> None:
        """Put it in the place of what was there, whole."""
        ...

    async def add_profile(self, profile: Profile) -> None: ...
    async def save_profile(self, profile: Profile) -> bool:
        """Write if the stored version is still `profile.version`; the row then has the next.

        False when another writer came first; nothing is written then. Kind, workspace and the time
        of creation stay as they were added.
        """
        ...

    async def remove_profile(self, profile: ProfileId) -> bool:
        """False when it is absent."""
        ...

    async def put_task(self, task: Task) -> None:
        """Insert or replace.

        The unit's end publishes one event for each task that differs from what it was before.
        """
        ...

    async def remove_task(self, task: TaskId) -> bool:
        """Remove a task with its sessions and all that hangs on them; False when it is absent."""
        ...

    async def take_task_events(self, consumer: str, limit: int) -> Sequence[TaskEvent]:
        """The next events for a consumer, which are then taken: each is given once, in order.

        A unit that is undone has taken nothing.
        """
        ...

    async def prune_task_events(self, before: datetime, limit: int) -> int:
        """Remove the oldest events from before a moment, at most so many; their count.

        One that a known consumer has not taken stays, and so do all that follow it. A consumer is
        known from the first event on that it took.
        """
        ...

    async def add_session(self, session: Session) -> None: ...
    async def save_session(self, session: Session) -> bool:
        """Write if the stored version is still `session.version`; the row then has the next.

        False when another writer came first; nothing is written then.
        """
        ...

    async def put_execution(self, execution: Execution) -> None:
        """Insert or replace; `acknowledged` only grows, and grows with `append_events`."""
        ...

    async def put_turn(self, turn: Turn) -> None: ...
    async def put_plan(self, plan: TaskPlan) -> None: ...
    async def remove_plan(self, task: TaskId) -> bool:
        """False when there is none."""
        ...

    async def put_report(self, report: StepReport) -> None: ...
    async def add_saved_prompt(self, prompt: SavedPrompt) -> None: ...
    async def save_saved_prompt(self, prompt: SavedPrompt) -> bool:
        """Write if the stored version is still `prompt.version`; the row then has the next.

        False when another writer came first. Workspace and time of creation stay as they were.
        """
        ...

    async def remove_saved_prompt(self, prompt: PromptId) -> bool:
        """False when it is absent."""
        ...

    async def add_access_token(self, token: AccessToken) -> None: ...
    async def remove_access_token(self, user: UserId, token: TokenId) -> bool:
        """False when the user has no such token."""
        ...

    async def put_inquiry(self, inquiry: Inquiry) -> None: ...
    async def put_queued(self, prompt: QueuedPrompt) -> None: ...
    async def remove_queued(self, prompt: QueuedId) -> None:
        """Idempotent."""
        ...

    async def append_events(
        self, session: SessionId, execution: ExecutionId, events: Sequence[ExecutionEvent]
    ) -> Sequence[SessionEvent]:
        """Number and store; events of the execution that are already stored are passed over.

        Returns those that were new, as stored.
        """
        ...

    async def put_lease(self, lease: LeaseRecord) -> None: ...
    async def revoke_leases(
        self,
        at: datetime,
        *,
        execution: ExecutionId | None = None,
        connection: ConnectionId | None = None,
        lease: LeaseId | None = None,
        task: TaskId | None = None,
        repository: RepositoryId | None = None,
    ) -> Sequence[LeaseRecord]:
        """Mark the live leases that match all that is named revoked, and give them."""
        ...

    async def record(self, entries: Sequence[LedgerEntry]) -> None:
        """Add to the ledger, in order; numbers are never given twice."""
        ...

    async def prune_ledger(self, before: datetime) -> int:
        """Remove the entries from before a moment; their count."""
        ...

    async def replace_sealed(self, old: bytes, anew: bytes) -> bool:
        """Put a value in the place of the sealed one; False when that is not there any more."""
        ...

    async def put_agentctl(self, record: AgentctlRecord) -> None: ...
    async def next_epoch(self) -> int:
        """The number of the next holder of the relay; grows with every call."""
        ...


class Store(Changes, Protocol):
    def read(self) -> AbstractAsyncContextManager[Reader]: ...
    def write(self) -> AbstractAsyncContextManager[Writer]: ...
