"""Waiting in a test for what the world does in its own time, within a bound."""

import asyncio
from collections.abc import Callable

import pytest

__all__ = ("eventually",)

_PAUSE = 0.01


async def eventually(fact: Callable[[], bool], seconds: float = 20.0) -> None:
    """Return once `fact` holds; fail when it does not within `seconds`.

    The bound is counted in looks, so a machine that stood still meanwhile costs none of it.
    """
    for _ in range(round(seconds / _PAUSE)):
        if fact():
            return
        await asyncio.sleep(_PAUSE)
    pytest.fail(f"it did not come to be within {seconds} seconds")
