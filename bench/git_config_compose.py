"""Composing git's list costs next to nothing beside the git command that will read it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bench.harness import Benchmark, Pair, seconds
from domain.git_config import MAX_ENTRIES, Entry, compose, parse, serialize

__all__ = ("BENCHMARKS",)

CALLS: Final = 5
"""Compositions in a row for one figure: one alone is close to the clock's grain."""

MANAGED: Final = 4
"""Entries that managed access adds for one host."""

FEW: Final = 1_000
MANY: Final = 10_000


def _entries(count: int) -> tuple[Entry, ...]:
    """A list of a host with many rewrites; every call makes texts of its own, as parsing does."""
    return tuple(
        Entry(f"url.https://forge.example/{index}/.insteadOf", f"git@forge.example:{index}/")
        for index in range(count)
    )


def _alike(count: int) -> tuple[Entry, ...]:
    """A list whose every prefix is also its suffix: what a naive comparison is quadratic in."""
    return tuple(Entry("safe.directory", f"/{'w' * 60}") for _ in range(count))


@contextmanager
def _composed_at_the_bound() -> Iterator[Pair]:
    lower, higher = _entries(MAX_ENTRIES), _entries(MAX_ENTRIES)
    yield Pair(seconds(lambda: compose(lower, higher), CALLS), seconds(_rev_parse))


@contextmanager
def _whole_at_the_bound() -> Iterator[Pair]:
    inherited = serialize(_entries(MAX_ENTRIES - MANAGED))
    managed = _alike(MANAGED)

    def whole() -> dict[str, str]:
        return serialize(compose(parse(inherited).unwrap(), managed))

    yield Pair(seconds(whole, CALLS), seconds(_rev_parse))


@contextmanager
def _ten_times_as_many() -> Iterator[Pair]:
    def composed(count: int) -> None:
        compose(lists[count][0], lists[count][1])

    odd = Entry("safe.directory", "/elsewhere")
    lists = {count: (_alike(count), (*_alike(count - 1), odd)) for count in (FEW, MANY)}
    yield Pair(
        seconds(lambda: composed(MANY), CALLS), seconds(lambda: composed(FEW), CALLS * MANY // FEW)
    )


def _rev_parse() -> None:
    """The cheapest command that reads the list."""
    subprocess.run(
        [GIT, "rev-parse", "--git-dir"],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


GIT: Final = shutil.which("git") or "git"
ENVIRONMENT: Final = {
    "PATH": os.defpath,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **serialize(_entries(MAX_ENTRIES)),
}

BENCHMARKS: Final = (
    Benchmark("git_config.compose", 1 / 20, _composed_at_the_bound),
    Benchmark("git_config.whole", 1 / 5, _whole_at_the_bound),
    Benchmark("git_config.adversarial", 15, _ten_times_as_many),
)
