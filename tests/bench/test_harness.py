"""Medians of interleaved rounds become a ratio that is lower when we are better."""

import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.harness import Benchmark, Better, Figures, Pair, constant, run, seconds
from bench.registry import UnknownBenchmark, benchmarks, chosen
from bench.report import as_json, as_table

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.anyio


def _prepared(pair: Pair, told: list[str] | None = None) -> Benchmark:
    @contextmanager
    def prepare() -> Iterator[Pair]:
        yield pair
        if told is not None:
            told.append("down")

    return Benchmark("a.path", 2.0, prepare, rounds=5)


def _steps(*figures: float) -> Iterator[float]:
    yield 1000.0  # the round that warms up
    yield from figures


async def test_the_medians_are_those_of_the_rounds_after_the_first() -> None:
    values, references = _steps(3, 1, 2, 90, 2), _steps(1, 1, 1, 1, 70)
    benchmark = _prepared(Pair(lambda: next(values), lambda: next(references)))

    figures = await run(benchmark, random.Random(1))

    assert figures == Figures("a.path", ratio=2.0, goal=2.0, value=2, reference=1, unit="s")
    assert figures.reached


async def test_more_is_better_turns_the_ratio_round() -> None:
    """Six times as many, where at least four times was the goal."""
    benchmark = Benchmark(
        "a.rate", 1 / 4, lambda: _pair(600.0, 100.0), unit="per second", better=Better.HIGHER
    )

    figures = await run(benchmark, random.Random(1))

    assert figures.ratio == pytest.approx(1 / 6)
    assert figures.reached


@contextmanager
def _pair(value: float, reference: float) -> Iterator[Pair]:
    yield Pair(constant(value), constant(reference))


@pytest.mark.parametrize(("value", "reached"), [(64.0, True), (64.1, False)])
async def test_a_limit_is_a_reference_with_the_goal_one(value: float, reached: bool) -> None:
    figures = await run(Benchmark("a.limit", 1, lambda: _pair(value, 64.0)), random.Random(1))

    assert figures.reached == reached


async def test_each_round_measures_both_in_an_order_of_its_own() -> None:
    said: list[str] = []

    def saying(word: str) -> float:
        said.append(word)
        return 1.0

    benchmark = _prepared(Pair(lambda: saying("value"), lambda: saying("reference")), said)

    await run(benchmark, random.Random(3))

    rounds = [tuple(said[index : index + 2]) for index in range(0, 12, 2)]
    assert {frozenset(each) for each in rounds} == {frozenset({"value", "reference"})}
    assert len(set(rounds)) == 2
    assert said[12:] == ["down"]


async def test_what_is_prepared_and_measured_may_be_asynchronous() -> None:
    numbers = count(1)

    async def measure() -> float:
        return float(next(numbers))

    @asynccontextmanager
    async def prepare() -> AsyncIterator[Pair]:
        yield Pair(measure, constant(2.0))

    figures = await run(Benchmark("an.async", 2, prepare, rounds=3), random.Random(1))

    assert (figures.value, figures.reference) == (3.0, 2.0)


async def test_time_is_that_of_one_call() -> None:
    calls: list[int] = []

    figure = seconds(lambda: calls.append(1), times=50)()

    assert len(calls) == 50
    assert isinstance(figure, float)
    assert 0 < figure < 1


FIGURES = (
    Figures("git.compose", ratio=0.012, goal=0.05, value=0.0003, reference=0.025, unit="s"),
    Figures("memory", ratio=1.5, goal=1, value=96, reference=64, unit="MiB"),
)


def test_json_has_the_six_members_of_each_benchmark() -> None:
    assert json.loads(as_json(FIGURES)) == [
        {
            "name": "git.compose",
            "ratio": 0.012,
            "goal": 0.05,
            "value": 0.0003,
            "reference": 0.025,
            "unit": "s",
        },
        {
            "name": "memory",
            "ratio": 1.5,
            "goal": 1,
            "value": 96,
            "reference": 64,
            "unit": "MiB",
        },
    ]


def test_the_table_shows_readable_figures_and_whether_a_goal_was_reached() -> None:
    rows = [line.split() for line in as_table(FIGURES).splitlines()]

    assert rows == [
        ["benchmark", "value", "reference", "ratio", "goal"],
        ["git.compose", "300", "us", "25", "ms", "0.012", "0.05", "reached"],
        ["memory", "96", "MiB", "64", "MiB", "1.5", "1", "missed"],
    ]


def _named(*names: str) -> list[Benchmark]:
    return [Benchmark(name, 1, lambda: _pair(1, 1)) for name in names]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], ["git.compose", "git.whole", "github"]),
        (["git"], ["git.compose", "git.whole"]),
        (["github", "git.whole"], ["git.whole", "github"]),
    ],
)
def test_a_name_chooses_a_benchmark_or_a_group(names: list[str], found: list[str]) -> None:
    everything = _named("git.compose", "git.whole", "github")

    assert [each.name for each in chosen(names, everything)] == found


def test_a_name_that_nothing_has_is_refused() -> None:
    with pytest.raises(UnknownBenchmark):
        chosen(["git.compose", "gi"], _named("git.compose"))


def test_every_benchmark_has_a_name_in_a_group_and_a_goal() -> None:
    everything = benchmarks()

    assert everything
    for benchmark in everything:
        assert "." in benchmark.name
        assert benchmark.goal > 0
        assert benchmark.rounds > 0


def test_the_command_line_refuses_a_name_and_lists_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["nothing.like.it"]) == 2
    assert "git_config.compose" in capsys.readouterr().err

    assert main(["--list", "git_config"]) == 0
    assert "git_config.compose" in capsys.readouterr().out.split()


def test_the_command_prints_nothing_but_the_array() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--json", "git_config.compose"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=50,
    )

    (figures,) = json.loads(done.stdout)

    assert figures["name"] == "git_config.compose"
    assert figures["ratio"] == pytest.approx(figures["value"] / figures["reference"])
