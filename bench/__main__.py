"""`python -m bench [--json] [NAME ...]`: the figures on stdout, what is measured now on stderr."""

import argparse
import asyncio
import random
import sys
from collections.abc import Sequence

from bench.harness import Benchmark, Figures, run
from bench.registry import UnknownBenchmark, benchmarks, chosen
from bench.report import as_json, as_table

__all__ = ("main",)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; 1 when `--strict` and a goal was missed, 2 for a name that no benchmark has."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure paths against references in the same run. Lower ratios are better.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a benchmark, or a group of them")
    parser.add_argument("--json", action="store_true", help="print a JSON array")
    parser.add_argument("--list", action="store_true", help="print the names and measure nothing")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a goal is missed")
    options = parser.parse_args(arguments)
    everything = benchmarks()
    try:
        wanted = chosen(options.names, everything)
    except UnknownBenchmark as unknown:
        names = ", ".join(each.name for each in everything)
        print(f"There is no benchmark {unknown}. There are: {names}", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(each.name for each in wanted))
        return 0
    figures = [_measured(benchmark) for benchmark in wanted]
    print(as_json(figures) if options.json else as_table(figures))
    return int(options.strict and not all(each.reached for each in figures))


def _measured(benchmark: Benchmark) -> Figures:
    print(f"{benchmark.name} ...", file=sys.stderr, flush=True)
    return asyncio.run(run(benchmark, random.SystemRandom()))


if __name__ == "__main__":
    sys.exit(main())
