"""Remove the events of tasks that are old and that every consumer has taken."""

from dataclasses import dataclass
from typing import Final

from domain.task_event import EVENT_LIFE
from ports.clock import Clock
from ports.store import Store

__all__ = ("PRUNED_AT_ONCE", "PruneOutbox")

PRUNED_AT_ONCE: Final = 1_000
"""Events in one unit of work: others write between two of them."""


@dataclass(frozen=True, slots=True)
class PruneOutbox:
    store: Store
    clock: Clock

    async def __call__(self) -> int:
        """Remove what is older than `EVENT_LIFE`; the count of what went."""
        before = self.clock.now() - EVENT_LIFE
        total = 0
        while True:
            async with self.store.write() as unit:
                count = await unit.prune_task_events(before, PRUNED_AT_ONCE)
            total += count
            if count < PRUNED_AT_ONCE:
                return total
