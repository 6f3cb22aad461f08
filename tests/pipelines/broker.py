"""A session with one repository and one lease, in a real store, and the use case that redeems it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from adapters.secrets.capabilities import AesCapabilities
from adapters.secrets.keyring import KEY_BYTES, Keyring
from adapters.secrets.vault import AesVault
from adapters.sqlite.store import SqliteStore, open_store
from domain.connection import Connection, Kind, Status
from domain.credential_policy import Mode
from domain.execution import Execution, ExecutionState, ExecutorType
from domain.identity import (
    ConnectionId,
    ExecutionId,
    RepositoryId,
    SessionId,
    TaskId,
    WorkspaceId,
)
from domain.lease import LeaseRefusal, Scope
from domain.ledger import LedgerEntry, LedgerQuery
from domain.outcome import Result
from domain.principal import HOME_OWNER
from domain.registered_repository import Repository
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from domain.session import Session, SessionState
from domain.task import Task, TaskRepository, TaskState
from domain.workspace import Workspace
from pipelines.connection_credential import ConnectionCredential
from pipelines.connection_secret import ConnectionSecrets
from pipelines.issue_lease import IssueLease
from pipelines.redeem_credential import RedeemCredential
from ports.credential_source import CredentialSource
from ports.credentials import CredentialRequest, GitCredential
from ports.vault import connection_place
from tests.fakes.clock import ManualClock
from tests.fakes.ids import CountingIds
from tests.fakes.redactor import ListingRedactor

STORED = "stored-secret-0123456789"
APP = RepositoryIdentity("forge.example", "/acme/app")
SCOPE = Scope(
    WorkspaceId("ws"),
    TaskId("task"),
    SessionId("ses"),
    ExecutionId("exec"),
    RepositoryId("repo"),
    APP,
)
CONNECTION = Connection(
    ConnectionId("con"), SCOPE.workspace, APP.host, Kind.GITEA, "robot", Status.ACTIVE, 1
)


@dataclass
class Broker:
    store: SqliteStore
    clock: ManualClock
    connection: Connection
    sources: Mapping[Kind, CredentialSource]
    ids: CountingIds = field(default_factory=CountingIds)
    redactor: ListingRedactor = field(default_factory=ListingRedactor)
    lease: Secret = field(default_factory=lambda: Secret(""))

    def __post_init__(self) -> None:
        keyring = Keyring([self.ids.random(KEY_BYTES)])
        self.vault = AesVault(keyring, self.ids)
        self.issue = IssueLease(self.redactor, self.clock, self.ids)
        secrets = ConnectionSecrets(self.vault, self.redactor, self.clock)
        credential = ConnectionCredential(self.store, secrets, self.sources, self.redactor)
        capabilities = AesCapabilities(keyring, self.ids)
        self.redeem = RedeemCredential(self.store, credential, capabilities, self.issue, self.clock)

    async def prepare(self, secret: str) -> None:
        at = self.clock.now()
        async with self.store.write() as unit:
            await unit.put_workspace(
                Workspace(SCOPE.workspace, HOME_OWNER, "Shop", Mode.MANAGED, at)
            )
            url = "https://forge.example/acme/app.git"
            await unit.put_repository(
                Repository(SCOPE.repository, SCOPE.workspace, "app", url, None, APP, "main", at)
            )
            repositories = (TaskRepository(SCOPE.repository),)
            await unit.put_task(
                Task(SCOPE.task, SCOPE.workspace, "Try", "Work.", TaskState.OPEN, repositories, at)
            )
            await unit.add_session(
                Session(
                    SCOPE.session,
                    SCOPE.task,
                    "demo",
                    SessionState.IDLE,
                    SCOPE.execution,
                    None,
                    None,
                    {},
                    at,
                )
            )
            await unit.put_execution(
                Execution(
                    SCOPE.execution,
                    SCOPE.task,
                    SCOPE.session,
                    ExecutorType.WORKTREE,
                    ExecutionState.LIVE,
                    0,
                    at,
                )
            )
        await self.connect(secret, self.connection.revision)
        await self.issue_lease()

    async def connect(self, secret: str, revision: int) -> None:
        """Replace the connection's secret, under a new revision."""
        self.connection = replace(self.connection, revision=revision)
        sealed = self.vault.seal(
            connection_place(self.connection.id, SCOPE.workspace), Secret(secret)
        )
        async with self.store.write() as unit:
            await unit.put_connection(self.connection, sealed)

    async def issue_lease(self) -> None:
        async with self.store.write() as unit:
            self.lease = (await self.issue(unit, SCOPE)).unwrap()

    async def ask(self, **changed: object) -> Result[GitCredential, LeaseRefusal]:
        asked = CredentialRequest(SCOPE.execution, APP, self.lease, None, "get")
        return await self.redeem(replace(asked, **changed))  # type: ignore[arg-type]  # fields by name

    async def ledger(self) -> Sequence[LedgerEntry]:
        async with self.store.read() as state:
            return await state.ledger(LedgerQuery())


@asynccontextmanager
async def broker(
    folder: Path,
    connection: Connection = CONNECTION,
    sources: Mapping[Kind, CredentialSource] | None = None,
    secret: str = STORED,
) -> AsyncIterator[Broker]:
    clock = ManualClock()
    async with open_store(
        folder / "kandev.db", backups=folder / "backups", version="1.0", clock=clock
    ) as store:
        made = Broker(store, clock, connection, sources or {})
        await made.prepare(secret)
        yield made
