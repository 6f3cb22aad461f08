"""Read the ledger page by page, and prune what is too old."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain.access import NotFound, acts_for_a_person
from domain.access_token import HOME_TOKEN
from domain.ledger import LedgerEntry, LedgerQuery, kept_from
from domain.outcome import Failure, Result, Success
from domain.principal import Execution, Internal, Principal, Token, User
from ports.clock import Clock
from ports.store import Store

__all__ = ("PruneLedger", "ReadLedger")


@dataclass(frozen=True, slots=True)
class ReadLedger:
    store: Store

    async def __call__(
        self, principal: Principal, query: LedgerQuery
    ) -> Result[Sequence[LedgerEntry], NotFound]:
        """A page; the next one is asked for after the number of its last entry.

        It has what was done in the workspaces that the principal sees. Of what is in no workspace
        any more, or never was, the home's own token tells.
        """
        if not acts_for_a_person(principal):
            return Failure(NotFound("ledger"))
        async with self.store.read() as state:
            return Success(await state.ledger(seen(principal, query)))


def seen(principal: Principal, query: LedgerQuery) -> LedgerQuery:
    """The query, for no more than the principal may see."""
    match principal:
        case Token(id=key, user=user, workspaces=None):
            return replace(query, user=user, ownerless=key == HOME_TOKEN)
        case Token(user=user, workspaces=limits):
            return replace(query, user=user, within=tuple(sorted(limits or ())))
        case User(id=user):
            return replace(query, user=user)
        case Internal() | Execution():
            return query


@dataclass(frozen=True, slots=True)
class PruneLedger:
    store: Store
    clock: Clock

    async def __call__(self) -> int:
        """Remove what is older than `LEDGER_LIFE`; the count of what went."""
        async with self.store.write() as unit:
            return await unit.prune_ledger(kept_from(self.clock.now()))
