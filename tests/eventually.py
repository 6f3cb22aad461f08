"""Waiting in a test for what the world does in its own time, within a bound."""

import asyncio
from collections.abc import Callable

__all__ = ("eventually",)


async def eventually(fact: Callable[[], bool], seconds: float = 20.0) -> None:
    """Return once `fact` holds; fail when it does not within `seconds`."""
    async with asyncio.timeout(seconds):
        while not fact():  # noqa: ASYNC110 -- files and processes raise no event
            await asyncio.sleep(0.01)
