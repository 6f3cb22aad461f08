"""Connections of workspaces, each with its sealed secret, and the revisions ever given."""

from collections.abc import Sequence

from sqlalchemy import select, update

from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, place, remove
from adapters.sqlite.tables import ConnectionRevisionRow, ConnectionRow, table
from adapters.sqlite.unit import Unit
from domain.connection import Connection, Kind, Status
from domain.identity import ConnectionId, WorkspaceId
from ports.store import ALL

__all__ = ("ConnectionReads", "ConnectionWrites")

_CONNECTION = table(ConnectionRow).c
_ALL = select(
    _CONNECTION.id,
    _CONNECTION.workspace_id,
    _CONNECTION.host,
    _CONNECTION.kind,
    _CONNECTION.login,
    _CONNECTION.status,
    _CONNECTION.revision,
    _CONNECTION.certificate_authority,
    _CONNECTION.account,
)
_ONE = _ALL.where(_CONNECTION.id == given("id"))
_OF_WORKSPACE = (
    _ALL
    .where(_CONNECTION.workspace_id == given("workspace"), _CONNECTION.id > given("after"))
    .order_by(_CONNECTION.id)
    .limit(given("limit"))
)
_SEALED = select(_CONNECTION.sealed).where(_CONNECTION.id == given("id"))
_REMOVE = remove(ConnectionRow)

_REVISION = table(ConnectionRevisionRow)
_IS_HOST = (
    _REVISION.c.workspace_id == given("workspace"),
    _REVISION.c.host == given("host_name"),
)
_LAST_REVISION = select(_REVISION.c.revision).where(*_IS_HOST)
_NEXT_REVISION = update(_REVISION).where(*_IS_HOST).values(revision=_REVISION.c.revision + 1)
_FIRST_REVISION = place(ConnectionRevisionRow)


class ConnectionReads(Unit):
    __slots__ = ()

    async def connection(self, connection: ConnectionId) -> Connection | None:
        row = await self._on.one(_ONE, {"id": connection})
        return None if row is None else _connection(row)

    async def connections(
        self, workspace: WorkspaceId, after: str | None = None, limit: int = ALL
    ) -> Sequence[Connection]:
        values = {"workspace": workspace, "after": after or "", "limit": limit}
        rows = await self._on.rows(_OF_WORKSPACE, values)
        return [_connection(row) for row in rows]

    async def connection_secret(self, connection: ConnectionId) -> bytes | None:
        row = await self._on.one(_SEALED, {"id": connection})
        return None if row is None else bytes(row[0])


class ConnectionWrites(ConnectionReads):
    __slots__ = ()

    async def put_connection(self, connection: Connection, sealed: bytes) -> None:
        values = {
            "id": connection.id,
            "workspace_id": connection.workspace,
            "host": connection.host,
            "kind": connection.kind.value,
            "login": connection.login,
            "status": connection.status.value,
            "revision": connection.revision,
            "certificate_authority": connection.certificate_authority,
            "sealed": sealed,
            "account": connection.account,
        }
        await self._put(ConnectionRow, values)

    async def remove_connection(self, connection: ConnectionId) -> None:
        await self._run(_REMOVE, {"id": connection})

    async def next_revision(self, workspace: WorkspaceId, host: str) -> int:
        values = {"workspace": workspace, "host_name": host}
        if not await self._run(_NEXT_REVISION, values):
            await self._run(
                _FIRST_REVISION, {"workspace_id": workspace, "host": host, "revision": 1}
            )
        row = await self._on.one(_LAST_REVISION, values)
        return 1 if row is None else int(row[0])


def _connection(row: Row) -> Connection:
    key, workspace, host, kind, login, status, revision, authority, account = row
    return Connection(
        ConnectionId(key),
        WorkspaceId(workspace),
        host,
        Kind(kind),
        login,
        Status(status),
        revision,
        authority,
        account,
    )
