"""Tell the audit log of a deed, in the unit of work that does it."""

from collections.abc import Sequence
from datetime import datetime

from domain.audit import NOBODY, AuditEntry, Deed, actor_of, user_of
from domain.environment import Layer
from domain.execution import Execution
from domain.identity import UserId, WorkspaceId
from domain.principal import Principal
from ports.store import Writer

__all__ = ("audited", "audited_secrets")


async def audited(
    unit: Writer,
    at: datetime,
    deed: Deed,
    by: Principal | UserId | None,
    subject: str,
    *,
    workspace: WorkspaceId | None = None,
    detail: str = "",
) -> None:
    """`by` is the principal that asked; else the user who showed to be that one, or nobody."""
    if by is None:
        actor, user = NOBODY, None
    elif isinstance(by, str):
        actor, user = f"user:{by}", by
    else:
        actor, user = actor_of(by), user_of(by)
    await unit.add_audit(AuditEntry(at, deed, actor, user, subject, workspace, detail))


async def audited_secrets(
    unit: Writer, execution: Execution, workspace: WorkspaceId, layers: Sequence[Layer]
) -> None:
    """Tell which secrets of its layers an execution is given, by their names."""
    for layer in layers:
        if layer.secrets:
            await unit.add_audit(
                AuditEntry(
                    execution.created_at,
                    Deed.SECRETS_USED,
                    f"execution:{execution.id}",
                    None,
                    execution.session,
                    workspace,
                    f"{layer.name}: {', '.join(sorted(layer.secrets))}",
                )
            )
