"""Workspaces and their policy; a workspace without a settings row is `managed`."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.sql.functions import coalesce

from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, remove
from adapters.sqlite.tables import WorkspaceRow, WorkspaceSettingsRow, table
from adapters.sqlite.unit import Unit
from domain.credential_policy import Mode
from domain.identity import WorkspaceId
from domain.workspace import Workspace

__all__ = ("WorkspaceReads", "WorkspaceWrites")

_WORKSPACE = table(WorkspaceRow).c
_SETTINGS = table(WorkspaceSettingsRow)
_ALL = select(
    _WORKSPACE.id,
    _WORKSPACE.name,
    coalesce(_SETTINGS.c.task_git_credentials_mode, Mode.MANAGED.value),
    _WORKSPACE.created_at,
    coalesce(_SETTINGS.c.accept_ambient_netrc, 0),
).select_from(table(WorkspaceRow).outerjoin(_SETTINGS, _SETTINGS.c.workspace_id == _WORKSPACE.id))
_ONE = _ALL.where(_WORKSPACE.id == given("id"))
_REMOVE = remove(WorkspaceRow)
_PAGE = _ALL.where(_WORKSPACE.id > given("after")).order_by(_WORKSPACE.id).limit(given("limit"))


class WorkspaceReads(Unit):
    __slots__ = ()

    async def workspace(self, workspace: WorkspaceId) -> Workspace | None:
        row = await self._on.one(_ONE, {"id": workspace})
        return None if row is None else _workspace(row)

    async def workspaces(self, after: str | None, limit: int) -> Sequence[Workspace]:
        rows = await self._on.rows(_PAGE, {"after": after or "", "limit": limit})
        return [_workspace(row) for row in rows]


class WorkspaceWrites(WorkspaceReads):
    __slots__ = ()

    async def put_workspace(self, workspace: Workspace) -> None:
        values = {
            "id": workspace.id,
            "name": workspace.name,
            "created_at": to_text(workspace.created_at),
        }
        await self._put(WorkspaceRow, values)
        await self._put(
            WorkspaceSettingsRow,
            {
                "workspace_id": workspace.id,
                "task_git_credentials_mode": workspace.mode.value,
                "accept_ambient_netrc": int(workspace.accepts_netrc),
            },
        )

    async def remove_workspace(self, workspace: WorkspaceId) -> bool:
        return await self._run(_REMOVE, {"id": workspace}) == 1


def _workspace(row: Row) -> Workspace:
    key, name, mode, created, accepts = row
    return Workspace(WorkspaceId(key), name, Mode(mode), from_text(created), bool(accepts))
