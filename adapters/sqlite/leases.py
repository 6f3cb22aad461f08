"""Leases, found by the hash of their token."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

from sqlalchemy import ColumnElement, Select, Update, func, select, update

from adapters.sqlite.columns import from_text, maybe_from_text, maybe_to_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given
from adapters.sqlite.tables import LeaseRow, table
from adapters.sqlite.unit import Unit
from domain.identity import (
    ConnectionId,
    ExecutionId,
    LeaseId,
    RepositoryId,
    SessionId,
    TaskId,
    WorkspaceId,
)
from domain.lease import LeaseRecord, Scope
from domain.repository import RepositoryIdentity

__all__ = ("LeaseReads", "LeaseWrites")

_LEASES = table(LeaseRow)
_LEASE = _LEASES.c
_IS_LIVE = (_LEASE.revoked_at.is_(None), _LEASE.expires_at > given("now"))
_BY_HASH = select(_LEASES).where(_LEASE.token_hash == given("token_hash"))
_OF_EXECUTION = select(_LEASES).where(_LEASE.execution_id == given("execution")).order_by(_LEASE.id)
_COUNT_LIVE = (
    select(func.count())
    .select_from(_LEASES)
    .where(_LEASE.workspace_id == given("workspace"), *_IS_LIVE)
)


@cache
def _revoke(*columns: str) -> Update:
    """Revoke what is live and has the given value in each of the columns."""
    return update(_LEASES).where(*_IS_LIVE, *_match(columns)).values(revoked_at=given("now"))


@cache
def _to_revoke(*columns: str) -> Select[*tuple[object, ...]]:
    """What `_revoke` of the same columns changes."""
    return select(_LEASES).where(*_IS_LIVE, *_match(columns)).order_by(_LEASE.id)


def _match(columns: Sequence[str]) -> Sequence[ColumnElement[bool]]:
    return [_LEASE[name] == given(name) for name in columns]


class LeaseReads(Unit):
    __slots__ = ()

    async def lease(self, token_hash: bytes) -> LeaseRecord | None:
        row = await self._on.one(_BY_HASH, {"token_hash": token_hash})
        return None if row is None else _lease(row)

    async def leases(self, execution: ExecutionId) -> Sequence[LeaseRecord]:
        rows = await self._on.rows(_OF_EXECUTION, {"execution": execution})
        return [_lease(row) for row in rows]

    async def live_leases(self, workspace: WorkspaceId, now: datetime) -> int:
        row = await self._on.one(_COUNT_LIVE, {"workspace": workspace, "now": to_text(now)})
        return 0 if row is None else int(row[0])


class LeaseWrites(LeaseReads):
    __slots__ = ()

    async def put_lease(self, lease: LeaseRecord) -> None:
        scope = lease.scope
        values = {
            "id": lease.id,
            "token_hash": lease.token_hash,
            "workspace_id": scope.workspace,
            "task_id": scope.task,
            "session_id": scope.session,
            "execution_id": scope.execution,
            "repository_id": scope.repository,
            "host": scope.identity.host,
            "path": scope.identity.path,
            "connection_id": lease.connection,
            "revision": lease.revision,
            "issued_at": to_text(lease.issued_at),
            "expires_at": to_text(lease.expires_at),
            "revoked_at": maybe_to_text(lease.revoked_at),
        }
        await self._put(LeaseRow, values)

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
        by = {
            "execution_id": execution,
            "connection_id": connection,
            "id": lease,
            "task_id": task,
            "repository_id": repository,
        }
        named = {column: value for column, value in by.items() if value is not None}
        if not named:
            raise ValueError("which leases are revoked is always said")
        values = {**named, "now": to_text(at)}
        live = [_lease(row) for row in await self._on.rows(_to_revoke(*named), values)]
        if live:
            await self._run(_revoke(*named), values)
        return [replace(each, revoked_at=at) for each in live]


def _lease(row: Row) -> LeaseRecord:
    key, token_hash, workspace, task, session, execution, repository, host, path = row[:9]
    connection, revision, issued, expires, revoked = row[9:]
    return LeaseRecord(
        LeaseId(key),
        bytes(token_hash),
        Scope(
            WorkspaceId(workspace),
            TaskId(task),
            SessionId(session),
            ExecutionId(execution),
            RepositoryId(repository),
            RepositoryIdentity(host, path),
        ),
        ConnectionId(connection),
        revision,
        from_text(issued),
        from_text(expires),
        maybe_from_text(revoked),
    )
