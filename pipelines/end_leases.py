"""Revoke leases and write down why, in the unit of whatever ended them."""

from datetime import datetime

from domain.identity import ConnectionId, ExecutionId, RepositoryId, TaskId
from domain.ledger import Why, revocation
from ports.store import Writer

__all__ = ("end_leases",)


async def end_leases(
    unit: Writer,
    at: datetime,
    why: Why,
    *,
    execution: ExecutionId | None = None,
    connection: ConnectionId | None = None,
    task: TaskId | None = None,
    repository: RepositoryId | None = None,
) -> None:
    """End the live leases that match all that is named, while their connection still stands."""
    ended = await unit.revoke_leases(
        at, execution=execution, connection=connection, task=task, repository=repository
    )
    entries = []
    for lease in ended:
        used = await unit.connection(lease.connection)
        entries.append(revocation(at, lease, used.login if used else None, why))
    await unit.record(entries)
