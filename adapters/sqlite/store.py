"""The store on SQLite: units of work over one writer, and readers that never wait for it."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
)
from pathlib import Path
from types import TracebackType

from typing_extensions import override

from adapters.sqlite.access_tokens import AccessTokenReads, AccessTokenWrites
from adapters.sqlite.accounts import AccountReads, AccountWrites
from adapters.sqlite.agentctl_records import AgentctlReads, AgentctlWrites
from adapters.sqlite.audit import AuditReads, AuditWrites
from adapters.sqlite.changes import Followers
from adapters.sqlite.connection import fault_of
from adapters.sqlite.connections import ConnectionReads, ConnectionWrites
from adapters.sqlite.events import EventReads, EventWrites
from adapters.sqlite.inquiries import InquiryReads, InquiryWrites
from adapters.sqlite.leases import LeaseReads, LeaseWrites
from adapters.sqlite.ledger import LedgerReads, LedgerWrites
from adapters.sqlite.plans import PlanReads, PlanWrites
from adapters.sqlite.pool import Pool
from adapters.sqlite.profiles import ProfileReads, ProfileWrites
from adapters.sqlite.queued_prompts import QueueReads, QueueWrites
from adapters.sqlite.reports import ReportReads, ReportWrites
from adapters.sqlite.repositories import RepositoryReads, RepositoryWrites
from adapters.sqlite.saved_prompts import SavedPromptReads, SavedPromptWrites
from adapters.sqlite.sealed import SealedReads, SealedWrites
from adapters.sqlite.sessions import SessionReads, SessionWrites
from adapters.sqlite.tallies import TallyReads
from adapters.sqlite.tasks import TaskReads, TaskWrites
from adapters.sqlite.turns import TurnReads, TurnWrites
from adapters.sqlite.upgrade import OpenProblem, Unusable, Upgraded, known_migrations, upgrade
from adapters.sqlite.workspaces import WorkspaceReads, WorkspaceWrites
from domain.outcome import failed
from domain.upgrade import Program
from ports.changes import Following
from ports.clock import Clock
from ports.store import Reader, Writer

__all__ = ("SqliteReader", "SqliteStore", "SqliteWriter", "StoreRefused", "open_store")


class StoreRefused(Exception):  # noqa: N818 -- it says what is, as the problems do
    """The database cannot be opened by this program; `problem` says why."""

    def __init__(self, problem: OpenProblem) -> None:
        super().__init__(type(problem).__name__)
        self.problem = problem


class SqliteReader(
    WorkspaceReads,
    ConnectionReads,
    RepositoryReads,
    ProfileReads,
    TaskReads,
    SessionReads,
    EventReads,
    TurnReads,
    QueueReads,
    PlanReads,
    ReportReads,
    SavedPromptReads,
    InquiryReads,
    LeaseReads,
    LedgerReads,
    AgentctlReads,
    SealedReads,
    TallyReads,
    AccessTokenReads,
    AccountReads,
    AuditReads,
):
    """What can be asked of the store."""

    __slots__ = ()


class SqliteWriter(
    WorkspaceWrites,
    ConnectionWrites,
    RepositoryWrites,
    ProfileWrites,
    TaskWrites,
    SessionWrites,
    EventWrites,
    TurnWrites,
    QueueWrites,
    PlanWrites,
    ReportWrites,
    SavedPromptWrites,
    InquiryWrites,
    LeaseWrites,
    LedgerWrites,
    AgentctlWrites,
    SealedWrites,
    AccessTokenWrites,
    AccountWrites,
    AuditWrites,
    SqliteReader,
):
    """What can be done in a unit of work."""

    __slots__ = ()


class SqliteStore:
    """`upgraded` says what was done to the database when it was opened."""

    __slots__ = ("_clock", "_followers", "_pool", "upgraded")

    def __init__(self, pool: Pool, clock: Clock, upgraded: Upgraded) -> None:
        self._pool = pool
        self._clock = clock
        self._followers = Followers()
        self.upgraded = upgraded

    def read(self) -> "Reading":
        return Reading(self._pool)

    def write(self) -> "Writing":
        return Writing(self._pool, self._clock, self._followers)

    def follow(self) -> AbstractContextManager[Following]:
        return self._followers.follow()


class Reading(AbstractAsyncContextManager[Reader]):
    """One consistent state, from the first question on."""

    __slots__ = ("_connection", "_pool", "_unit")

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def __aenter__(self) -> SqliteReader:
        connection = await self._pool.reader()
        connection.begin()
        self._connection = connection
        self._unit = unit = SqliteReader(connection)
        return unit

    @override
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._unit.end()
        self._connection.roll_back()
        self._pool.give_back(self._connection)


class Writing(AbstractAsyncContextManager[Writer]):
    """Everything or nothing; what happened to tasks is published with it."""

    __slots__ = ("_clock", "_followers", "_pool", "_unit")

    def __init__(self, pool: Pool, clock: Clock, followers: Followers) -> None:
        self._pool = pool
        self._clock = clock
        self._followers = followers

    @override
    async def __aenter__(self) -> SqliteWriter:
        self._unit = SqliteWriter(await self._pool.begin_writing())
        return self._unit

    @override
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._unit.end()
            self._pool.undo()
            return
        try:
            await self._unit.publish(self._clock.now())
        except BaseException:
            self._pool.undo()
            raise
        finally:
            self._unit.end()
        self._pool.commit()
        self._followers.publish(self._unit.noted)


@asynccontextmanager
async def open_store(
    database: Path, *, backups: Path, version: str, clock: Clock
) -> AsyncGenerator[SqliteStore]:
    """Upgrade the database if it has to be, and hold it open.

    Raises `StoreRefused` when this program cannot open it; it is unchanged then.
    """
    program = Program(version, known_migrations())
    upgraded = await asyncio.to_thread(upgrade, database, backups, program, clock.now())
    if failed(upgraded):
        raise StoreRefused(upgraded.failure())
    try:
        pool = Pool(database)
    except sqlite3.Error as error:
        raise StoreRefused(Unusable(str(database), fault_of(error))) from error
    try:
        yield SqliteStore(pool, clock, upgraded.unwrap())
    finally:
        pool.close()
