"""Workspaces, who works in them, and their policy; one without a settings row is `managed`."""

from collections.abc import Sequence

from sqlalchemy import exists, or_, select
from sqlalchemy.sql.functions import coalesce

from adapters.sqlite.access_tables import WorkspaceMemberRow
from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, remove
from adapters.sqlite.tables import WorkspaceRow, WorkspaceSettingsRow, table
from adapters.sqlite.unit import Unit
from domain.access import Standing
from domain.credential_policy import Mode
from domain.identity import UserId, WorkspaceId
from domain.membership import Member
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
    _WORKSPACE.owner_id,
).select_from(table(WorkspaceRow).outerjoin(_SETTINGS, _SETTINGS.c.workspace_id == _WORKSPACE.id))
_ONE = _ALL.where(_WORKSPACE.id == given("id"))
_REMOVE = remove(WorkspaceRow)
_PAGE = _ALL.where(_WORKSPACE.id > given("after")).order_by(_WORKSPACE.id).limit(given("limit"))


_MEMBERS = table(WorkspaceMemberRow)
_MEMBER = _MEMBERS.c
_JOINED = exists().where(_MEMBER.workspace_id == _WORKSPACE.id, _MEMBER.user_id == given("user"))
_WORKS = or_(_WORKSPACE.owner_id == given("user"), _JOINED)
_PAGE_OF = _PAGE.where(_WORKS)
_STANDING = select(_WORKSPACE.owner_id).where(_WORKSPACE.id == given("id"), _WORKS)
_MEMBERS_OF = (
    select(_MEMBER.user_id, _MEMBER.since)
    .where(_MEMBER.workspace_id == given("workspace"), _MEMBER.user_id > given("after"))
    .order_by(_MEMBER.user_id)
    .limit(given("limit"))
)
_REMOVE_MEMBER = remove(WorkspaceMemberRow)


class WorkspaceReads(Unit):
    __slots__ = ()

    async def workspace(self, workspace: WorkspaceId) -> Workspace | None:
        row = await self._on.one(_ONE, {"id": workspace})
        return None if row is None else _workspace(row)

    async def workspaces(self, after: str | None, limit: int) -> Sequence[Workspace]:
        rows = await self._on.rows(_PAGE, {"after": after or "", "limit": limit})
        return [_workspace(row) for row in rows]

    async def workspaces_of(
        self, user: UserId, after: str | None, limit: int
    ) -> Sequence[Workspace]:
        values = {"user": user, "after": after or "", "limit": limit}
        return [_workspace(row) for row in await self._on.rows(_PAGE_OF, values)]

    async def standing(self, workspace: WorkspaceId, user: UserId) -> Standing | None:
        row = await self._on.one(_STANDING, {"id": workspace, "user": user})
        if row is None:
            return None
        return Standing.OWNER if row[0] == user else Standing.MEMBER

    async def members(
        self, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Sequence[Member]:
        values = {"workspace": workspace, "after": after or "", "limit": limit}
        rows = await self._on.rows(_MEMBERS_OF, values)
        return [Member(UserId(user), from_text(since)) for user, since in rows]


class WorkspaceWrites(WorkspaceReads):
    __slots__ = ()

    async def put_workspace(self, workspace: Workspace) -> None:
        values = {
            "id": workspace.id,
            "owner_id": workspace.owner,
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

    async def put_member(self, workspace: WorkspaceId, member: Member) -> None:
        values = {
            "workspace_id": workspace,
            "user_id": member.user,
            "since": to_text(member.since),
        }
        await self._put(WorkspaceMemberRow, values)

    async def remove_member(self, workspace: WorkspaceId, user: UserId) -> bool:
        values = {"workspace_id": workspace, "user_id": user}
        return await self._run(_REMOVE_MEMBER, values) == 1


def _workspace(row: Row) -> Workspace:
    key, name, mode, created, accepts, owner = row
    return Workspace(
        WorkspaceId(key), UserId(owner), name, Mode(mode), from_text(created), bool(accepts)
    )
