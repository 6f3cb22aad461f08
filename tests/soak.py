"""Repetitions that prove what one run only suggests: all of them under `make soak`, one otherwise.

A test that repeats wears `@pytest.mark.soak` and takes its count or its cases from here; what a
plain run leaves out is chosen by a seed, so that every run of it does the same.
"""

import os
import random
from collections.abc import Sequence
from typing import Final, TypeVar

__all__ = ("SOAKING", "repetitions", "sampled")

SOAKING: Final = bool(os.environ.get("KANDEV_SOAK"))

Case = TypeVar("Case")


def repetitions(full: int, sample: int = 1) -> range:
    """The numbers of the repetitions to make: `full` of them, or the first `sample`."""
    return range(full if SOAKING else min(sample, full))


def sampled(cases: Sequence[Case], size: int, seed: int = 0) -> Sequence[Case]:
    """All cases in their order, or `size` of them, always the same ones for a seed."""
    if SOAKING or size >= len(cases):
        return cases
    chosen = sorted(random.Random(seed).sample(range(len(cases)), size))
    return [cases[index] for index in chosen]
