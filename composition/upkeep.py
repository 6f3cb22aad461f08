"""What the server does now and then by itself, in one task that is joined at its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

import structlog

from ports.store import StoreUnavailable

__all__ = ("upkeep",)

EVERY_SECONDS: Final = 3600.0
"""Between two rounds."""

log = structlog.get_logger()


@asynccontextmanager
async def upkeep(chores: Mapping[str, Callable[[], Awaitable[int]]]) -> AsyncIterator[None]:
    """Do every chore, from the start on and until the block ends.

    A chore removes what has grown too old and says how much; the log names it by its key.
    """
    rounds = asyncio.create_task(_go_round(chores))
    try:
        yield
    finally:
        rounds.cancel()
        await asyncio.wait({rounds})


async def _go_round(chores: Mapping[str, Callable[[], Awaitable[int]]]) -> None:
    while True:
        for name, chore in chores.items():
            try:
                removed = await chore()
            except StoreUnavailable as error:
                log.warning("not_pruned", chore=name, fault=error.fault.value)
            else:
                log.debug("pruned", chore=name, removed=removed)
        await asyncio.sleep(EVERY_SECONDS)
