"""`git credential fill` through helper, agentctl and control plane, beside a constant script.

Both run below the same agent, where git would; the time is taken there.
"""

import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.harness import Benchmark, Pair
from bench.stage import APP, folder, managed_session

__all__ = ("BENCHMARKS",)

TIMES: Final = 10
"""Questions in a row for one figure."""

_TIMER = """
import subprocess, sys, time
question, command = sys.argv[1].encode(), sys.argv[2:]
begun = time.perf_counter()
for _ in range({times}):
    told = subprocess.run(command, input=question, stdout=subprocess.PIPE, check=True).stdout
    assert b"password=" in told
print((time.perf_counter() - begun) / {times})
"""


@asynccontextmanager
async def _fill() -> AsyncIterator[Pair]:
    with folder() as root:
        script = root / "constant.sh"
        script.write_text("#!/bin/sh\nprintf 'username=u\\npassword=p\\n'\n", encoding="utf-8")
        script.chmod(0o755)
        timer = root / "timer.py"
        timer.write_text(_TIMER.format(times=TIMES), encoding="utf-8")
        async with managed_session(root) as (forge, talk):
            question = f"protocol=https\nhost={forge.host}\npath={APP}.git\n\n"
            clock = shlex.join([sys.executable, "-I", "-S", str(timer), question])
            bare = f"env -u GIT_CONFIG_COUNT git -c credential.helper={script}"

            async def product() -> float:
                return float(await talk.run(f"{clock} git credential fill"))

            async def constant() -> float:
                return float(await talk.run(f"{clock} {bare} credential fill"))

            yield Pair(product, constant)


BENCHMARKS: Final = (Benchmark("credential.fill", 2.0, _fill, rounds=15),)
