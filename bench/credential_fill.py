"""`git credential fill` through helper, agentctl and control plane, beside a helper in C.

Both run below the same agent, where git would; the time is taken there.
"""

import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.credential_stub import question, stub, timer
from bench.harness import Benchmark, Pair
from bench.stage import APP, folder, managed_session

__all__ = ("BENCHMARKS",)


@asynccontextmanager
async def _fill() -> AsyncIterator[Pair]:
    with folder() as root, stub(root) as helper:
        async with managed_session(root) as (forge, talk):
            clock = shlex.join(timer(root, question(forge.host, APP)))
            bare = shlex.join(["env", "-u", "GIT_CONFIG_COUNT", "git", "-c"])
            setting = shlex.quote(f"credential.helper={helper}")

            async def product() -> float:
                return float(await talk.run(f"{clock} git credential fill"))

            async def reference() -> float:
                return float(await talk.run(f"{clock} {bare} {setting} credential fill"))

            yield Pair(product, reference)


BENCHMARKS: Final = (Benchmark("credential.fill", 2.1, _fill, rounds=15),)
