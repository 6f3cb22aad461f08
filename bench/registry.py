"""All benchmarks, found in the modules of this package, and those that a command line names."""

import importlib
import pkgutil
from collections.abc import Sequence

import bench
from bench.harness import Benchmark

__all__ = ("UnknownBenchmark", "benchmarks", "chosen")


class UnknownBenchmark(LookupError):  # noqa: N818 -- it says what the name is
    """No benchmark has this name, and none begins with it and a dot."""


def benchmarks() -> tuple[Benchmark, ...]:
    """Every benchmark of every module, in the order of their names; no name is there twice."""
    found: dict[str, Benchmark] = {}
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name == "__main__":
            continue
        listed = getattr(importlib.import_module(f"bench.{module.name}"), "BENCHMARKS", ())
        for benchmark in listed:
            assert benchmark.name not in found, f"two benchmarks are named {benchmark.name}"
            found[benchmark.name] = benchmark
    return tuple(found[name] for name in sorted(found))


def chosen(names: Sequence[str], among: Sequence[Benchmark]) -> Sequence[Benchmark]:
    """Those that are named in full or by what precedes a dot; all, where nothing is named."""
    if not names:
        return among
    for name in names:
        if not any(_named(benchmark, name) for benchmark in among):
            raise UnknownBenchmark(name)
    return [each for each in among if any(_named(each, name) for name in names)]


def _named(benchmark: Benchmark, name: str) -> bool:
    return benchmark.name == name or benchmark.name.startswith(f"{name}.")
