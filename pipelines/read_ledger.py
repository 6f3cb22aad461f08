"""Read the ledger page by page, and prune what is too old."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.access import NotFound, acts_for_a_person
from domain.ledger import LedgerEntry, LedgerQuery, kept_from
from domain.outcome import Failure, Result, Success
from domain.principal import Principal
from ports.clock import Clock
from ports.store import Store

__all__ = ("PruneLedger", "ReadLedger")


@dataclass(frozen=True, slots=True)
class ReadLedger:
    store: Store

    async def __call__(
        self, principal: Principal, query: LedgerQuery
    ) -> Result[Sequence[LedgerEntry], NotFound]:
        """A page; the next one is asked for after the number of its last entry."""
        if not acts_for_a_person(principal):
            return Failure(NotFound("ledger"))
        async with self.store.read() as state:
            return Success(await state.ledger(query))


@dataclass(frozen=True, slots=True)
class PruneLedger:
    store: Store
    clock: Clock

    async def __call__(self) -> int:
        """Remove what is older than `LEDGER_LIFE`; the count of what went."""
        async with self.store.write() as unit:
            return await unit.prune_ledger(kept_from(self.clock.now()))
