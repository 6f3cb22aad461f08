"""A plain run makes each repetition once or a fixed sample; a soak makes them all."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TELL = """
import json
from tests.soak import repetitions, sampled
cases = list("abcdefghij")
print(json.dumps([list(repetitions(4)), list(repetitions(4, 2)), list(repetitions(1, 3)),
    sampled(cases, 3), sampled(cases, 3, seed=1), sampled(cases, 20)]))
"""


def _told(soak: str | None) -> list[list[object]]:
    environment = {} if soak is None else {"KANDEV_SOAK": soak}
    done = subprocess.run(
        [sys.executable, "-c", TELL],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=True,
        timeout=30,
    )
    told: list[list[object]] = json.loads(done.stdout)
    return told


def test_a_soak_makes_every_repetition() -> None:
    everything = list("abcdefghij")

    assert _told("1") == [[0, 1, 2, 3], [0, 1, 2, 3], [0], everything, everything, everything]


@pytest.mark.parametrize("soak", [None, ""])
def test_a_plain_run_makes_the_same_few_every_time(soak: str | None) -> None:
    told = _told(soak)

    assert told[:3] == [[0], [0, 1], [0]]
    assert [len(chosen) for chosen in told[3:]] == [3, 3, 10]
    assert told[3] != told[4]
    assert told == _told(soak)
