"""Measures a path and its reference side by side, and says by how much they differ.

Machines are noisy, so numbers of two runs are never compared: in each round both are measured, in
random order, and what counts is the ratio of the medians. Ratios and goals are oriented so that
lower is better. "At least N times as many" is the goal 1/N of a benchmark where higher is better;
an absolute limit is a `constant` reference with the goal 1.
"""

import gc
import inspect
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import NamedTuple

__all__ = ("Benchmark", "Better", "Figures", "Measure", "Pair", "constant", "run", "seconds")

Measure = Callable[[], float | Awaitable[float]]
"""Does the thing once, or often enough to be seen, and returns its figure in the unit."""


class Better(StrEnum):
    LOWER = "lower"
    HIGHER = "higher"


class Pair(NamedTuple):
    value: Measure
    reference: Measure


Prepared = AbstractContextManager[Pair] | AbstractAsyncContextManager[Pair]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`prepare` sets up what both measures need and takes it down; that is not measured."""

    name: str
    goal: float
    prepare: Callable[[], Prepared]
    unit: str = "s"
    rounds: int = 20
    better: Better = Better.LOWER


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of a benchmark's rounds, and their ratio."""

    name: str
    ratio: float
    goal: float
    value: float
    reference: float
    unit: str

    @property
    def reached(self) -> bool:
        return self.ratio <= self.goal


async def run(benchmark: Benchmark, order: random.Random) -> Figures:
    """Measure every round in an order of its own; a first round warms up and does not count."""
    values: list[float] = []
    references: list[float] = []
    async with AsyncExitStack() as stack:
        prepared = benchmark.prepare()
        if isinstance(prepared, AbstractAsyncContextManager):
            pair = await stack.enter_async_context(prepared)
        else:
            pair = stack.enter_context(prepared)
        gc.collect()
        gc.freeze()  # what is there already is not looked at again between measures
        stack.callback(gc.unfreeze)
        for number in range(benchmark.rounds + 1):
            both = [(pair.value, values), (pair.reference, references)]
            order.shuffle(both)
            for measure, figures in both:
                figure = await _measured(measure)
                if number:
                    figures.append(figure)
    value, reference = median(values), median(references)
    lower = benchmark.better is Better.LOWER
    ratio = value / reference if lower else reference / value
    return Figures(benchmark.name, ratio, benchmark.goal, value, reference, benchmark.unit)


async def _measured(measure: Measure) -> float:
    gc.collect()
    figure = measure()
    return await figure if inspect.isawaitable(figure) else figure


def seconds(action: Callable[[], object], times: int = 1) -> Measure:
    """Wall time of one call, the mean of `times` in a row, with the garbage collector at rest."""

    def measure() -> float:
        gc.disable()
        try:
            start = time.perf_counter()
            for _ in range(times):
                action()
            return (time.perf_counter() - start) / times
        finally:
            gc.enable()

    return measure


def constant(figure: float) -> Measure:
    """A reference that is a limit."""
    return lambda: figure
