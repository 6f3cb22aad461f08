"""A credential helper in C with a broker in C, compiled in the run: what git's own cost is beside.

Needs gcc and a static C library, as a machine that builds Python has them.
"""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ("TIMES", "question", "stub", "timer")

TIMES: Final = 10
"""Commands in a row for one figure."""

_TIMER = """
import subprocess, sys, time
question, command = sys.argv[1].encode(), sys.argv[2:]
begun = time.perf_counter()
for _ in range({times}):
    subprocess.run(command, input=question, stdout=subprocess.DEVNULL, check=True)
print((time.perf_counter() - begun) / {times})
"""


@contextmanager
def stub(root: Path) -> Iterator[str]:
    """The value of `credential.helper` that has git ask it, while its broker runs."""
    program, place = root / "stub", root / "stub.sock"
    source = Path(__file__).with_suffix(".c")
    subprocess.run(["gcc", "-O2", "-static", "-o", str(program), str(source)], check=True)
    with subprocess.Popen([str(program), str(place), "serve"], stdout=subprocess.PIPE) as broker:
        try:
            assert broker.stdout is not None
            assert broker.stdout.readline() == b"up\n", "the broker of the stub did not start"
            yield f"!{shlex.quote(str(program))} {shlex.quote(str(place))}"
        finally:
            broker.terminate()


def question(host: str, path: str) -> str:
    return f"protocol=https\nhost={host}\npath={path}.git\n\n"


def timer(root: Path, told: str) -> list[str]:
    """Words that time the command behind them, which is given `told` and must not fail."""
    script = root / "timer.py"
    script.write_text(_TIMER.format(times=TIMES), encoding="utf-8")
    return [sys.executable, "-I", "-S", str(script), told]
