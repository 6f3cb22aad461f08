"""What the server does now and then by itself, in one task that is joined at its end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog

from pipelines.read_ledger import PruneLedger
from ports.store import StoreUnavailable

__all__ = ("upkeep",)

EVERY_SECONDS: Final = 3600.0
"""Between two rounds."""

log = structlog.get_logger()


@asynccontextmanager
async def upkeep(prune: PruneLedger) -> AsyncIterator[None]:
    """Keep the ledger to its age, from the start on and until the block ends."""
    rounds = asyncio.create_task(_go_round(prune))
    try:
        yield
    finally:
        rounds.cancel()
        await asyncio.wait({rounds})


async def _go_round(prune: PruneLedger) -> None:
    while True:
        try:
            removed = await prune()
        except StoreUnavailable as error:
            log.warning("ledger_not_pruned", fault=error.fault.value)
        else:
            log.debug("ledger_pruned", removed=removed)
        await asyncio.sleep(EVERY_SECONDS)
