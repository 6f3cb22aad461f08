"""The audit log: entries are added and pruned, and a trigger refuses every change."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, insert, or_, select

from adapters.sqlite.access_tables import AuditRow
from adapters.sqlite.columns import from_text, members, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given
from adapters.sqlite.tables import WorkspaceRow, table
from adapters.sqlite.unit import Unit
from domain.audit import AuditEntry, AuditQuery, Deed, record_of
from domain.identity import UserId, WorkspaceId

__all__ = ("AuditReads", "AuditWrites")

_DEEDS = members(Deed)
_ENTRIES = table(AuditRow)
_ENTRY = _ENTRIES.c
_WORKSPACE = table(WorkspaceRow).c
_ADD = insert(_ENTRIES).values({
    each: given(each.name) for each in _ENTRY if each is not _ENTRY.sequence
})
_PRUNE = delete(_ENTRIES).where(_ENTRY.at < given("before"))
_OWN = or_(
    _ENTRY.user_id == given("user"),
    _ENTRY.workspace_id.in_(select(_WORKSPACE.id).where(_WORKSPACE.owner_id == given("user"))),
)
_OWNERLESS = ~exists().where(_WORKSPACE.id == _ENTRY.workspace_id)
_PAGE = (
    select(_ENTRIES)
    .where(_ENTRY.sequence > given("after"))
    .order_by(_ENTRY.sequence)
    .limit(given("limit"))
)
_OF_OWNER = _PAGE.where(_OWN)
_OF_INSTALLATION = _PAGE.where(or_(_OWN, _OWNERLESS))


class AuditReads(Unit):
    __slots__ = ()

    async def audit(self, query: AuditQuery) -> Sequence[AuditEntry]:
        page = _OF_INSTALLATION if query.installation else _OF_OWNER
        values = {"user": query.owner, "after": query.after, "limit": query.limit}
        return [_entry(row) for row in await self._on.rows(page, values)]


class AuditWrites(AuditReads):
    __slots__ = ()

    async def add_audit(self, entry: AuditEntry) -> None:
        columns: dict[str, object] = {**record_of(entry), "at": to_text(entry.at)}
        del columns["sequence"]
        await self._run(_ADD, columns)

    async def prune_audit(self, before: datetime) -> int:
        return await self._run(_PRUNE, {"before": to_text(before)})


def _entry(row: Row) -> AuditEntry:
    sequence, at, deed, actor, user, subject, workspace, detail = row
    return AuditEntry(
        from_text(at),
        _DEEDS[deed],
        actor,
        None if user is None else UserId(user),
        subject,
        None if workspace is None else WorkspaceId(workspace),
        detail,
        sequence,
    )
