"""Read the audit log page by page, and prune what is too old."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.access import NotFound
from domain.audit import AuditEntry, AuditQuery, Deed, kept_from, user_of
from domain.outcome import Failure, Result, Success
from domain.principal import Principal, Token
from pipelines.audited import audited
from pipelines.authority import administers
from ports.clock import Clock
from ports.store import Store

__all__ = ("PruneAudit", "ReadAudit")


@dataclass(frozen=True, slots=True)
class ReadAudit:
    """Owners read what was done to their workspaces, and all what they did themselves.

    Who administers reads besides what was done to the installation. To a token with limits, and to
    an agent, there is no audit log.
    """

    store: Store
    clock: Clock

    async def __call__(
        self, principal: Principal, after: int, limit: int
    ) -> Result[Sequence[AuditEntry], NotFound]:
        """In the order of their numbers, strictly after `after`."""
        user = user_of(principal)
        if user is None or (isinstance(principal, Token) and principal.workspaces is not None):
            return Failure(NotFound("audit"))
        async with self.store.read() as state:
            installation = await administers(state, principal)
            return Success(await state.audit(AuditQuery(after, limit, user, installation)))

    async def exported(self, principal: Principal, deed: Deed, subject: str = "") -> None:
        """Tell of an export before its first byte."""
        async with self.store.write() as unit:
            await audited(unit, self.clock.now(), deed, principal, subject)


@dataclass(frozen=True, slots=True)
class PruneAudit:
    store: Store
    clock: Clock

    async def __call__(self) -> int:
        """Remove what is older than `AUDIT_LIFE`; the count of what went."""
        async with self.store.write() as unit:
            return await unit.prune_audit(kept_from(self.clock.now()))
