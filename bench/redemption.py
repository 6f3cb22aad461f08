"""Redemptions in the control plane, on a real database: each reads the live state twice and writes.

One with the secret at hand is measured beside a unit of the same store that only adds a line to the
ledger; one that opens the secret, and a hundred at once, beside one with the secret at hand.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from bench.harness import Benchmark, Measure, Pair
from bench.stage import folder
from domain.ledger import Operation, of_scope
from tests.pipelines.broker import SCOPE, Broker, broker

__all__ = ("BENCHMARKS",)

AT_ONCE: Final = 100
_IN_A_ROW: Final = 50
_PAST_THE_CACHE: Final = timedelta(minutes=1)


def _in_a_row(action: Callable[[], Awaitable[object]]) -> Measure:
    async def measure() -> float:
        begun = time.perf_counter()
        for _ in range(_IN_A_ROW):
            await action()
        return (time.perf_counter() - begun) / _IN_A_ROW

    return measure


async def _redeemed(ready: Broker) -> None:
    (await ready.ask()).unwrap()


async def _opened(ready: Broker) -> None:
    """A redemption for which the secret is opened anew."""
    ready.clock.advance(_PAST_THE_CACHE)
    await _redeemed(ready)


async def _line(ready: Broker) -> None:
    entry = of_scope(ready.clock.now(), Operation.REDEEM, SCOPE, "robot")
    async with ready.store.write() as unit:
        await unit.record([entry])


@asynccontextmanager
async def _kept() -> AsyncIterator[Pair]:
    with folder() as root:
        async with broker(root) as ready:
            yield Pair(_in_a_row(lambda: _redeemed(ready)), _in_a_row(lambda: _line(ready)))


@asynccontextmanager
async def _anew() -> AsyncIterator[Pair]:
    """The lease would end while the clock goes on, so each round has a new one."""
    with folder() as root:
        async with broker(root) as ready:

            async def anew() -> float:
                await ready.issue_lease()
                measured = _in_a_row(lambda: _opened(ready))()
                assert not isinstance(measured, float)
                return await measured

            yield Pair(anew, _in_a_row(lambda: _redeemed(ready)))


@asynccontextmanager
async def _parallel() -> AsyncIterator[Pair]:
    with folder() as root:
        async with broker(root) as ready:

            async def at_once() -> float:
                begun = time.perf_counter()
                await asyncio.gather(*(_redeemed(ready) for _ in range(AT_ONCE)))
                return (time.perf_counter() - begun) / AT_ONCE

            yield Pair(at_once, _in_a_row(lambda: _redeemed(ready)))


BENCHMARKS: Final = (
    Benchmark("redemption.kept", 10.0, _kept),
    Benchmark("redemption.opened", 1.6, _anew),
    Benchmark("redemption.parallel", 1.5, _parallel),
)
