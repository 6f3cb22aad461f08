"""In which workspaces a user works, for the questions of other tables."""

from sqlalchemy import select, union_all
from sqlalchemy.sql.selectable import CompoundSelect

from adapters.sqlite.access_tables import WorkspaceMemberRow
from adapters.sqlite.statement import given
from adapters.sqlite.tables import WorkspaceRow, table

__all__ = ("worked_in",)

_WORKSPACE = table(WorkspaceRow).c
_MEMBER = table(WorkspaceMemberRow).c


def worked_in() -> CompoundSelect[tuple[str]]:
    """The ids of the workspaces of `user`, whom the caller gives."""
    owned = select(_WORKSPACE.id).where(_WORKSPACE.owner_id == given("user"))
    joined = select(_MEMBER.workspace_id).where(_MEMBER.user_id == given("user"))
    return union_all(owned, joined)
