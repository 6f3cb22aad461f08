"""Seal everything stored with the newest key, a bounded batch in each unit of work.

What is left to do is told by the stored values themselves: one that was interrupted goes on where
it ended, and one that has ended does nothing.
"""

from dataclasses import dataclass
from typing import Final

from domain.outcome import Result, Success, failed
from ports.store import Store
from ports.vault import Unsealable, Vault

__all__ = ("RESEALED_AT_ONCE", "ResealSecrets")

RESEALED_AT_ONCE: Final = 100
"""Sealed values in one unit of work."""


@dataclass(frozen=True, slots=True)
class ResealSecrets:
    store: Store
    vault: Vault

    async def is_done(self) -> bool:
        async with self.store.read() as state:
            return not await state.sealed_otherwise(self.vault.beginning(), 1)

    async def __call__(self) -> Result[int, Unsealable]:
        """How many values were sealed anew; one that does not open is left and ends it."""
        count = 0
        while True:
            batch = await self._batch()
            if failed(batch) or not batch.unwrap():
                return batch if failed(batch) else Success(count)
            count += batch.unwrap()

    async def _batch(self) -> Result[int, Unsealable]:
        async with self.store.write() as unit:
            batch = await unit.sealed_otherwise(self.vault.beginning(), RESEALED_AT_ONCE)
            for place, sealed in batch:
                opened = self.vault.open(place, sealed)
                if failed(opened):
                    return opened
                await unit.replace_sealed(sealed, self.vault.seal(place, opened.unwrap()))
        return Success(len(batch))
