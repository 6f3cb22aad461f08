"""How long the two servers take to answer, and how much memory they hold, beside named limits."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from adapters.agentctl import process
from adapters.agentctl.connection import AgentctlConnection
from bench.harness import Benchmark, Pair, constant
from bench.stage import folder, installation
from composition.reach import running_server

__all__ = ("BENCHMARKS",)

SERVER_SECONDS: Final = 3.0
SERVER_BYTES: Final = 160 * 1024**2
AGENTCTL_SECONDS: Final = 2.0
AGENTCTL_BYTES: Final = 100 * 1024**2

_POLL_SECONDS = 0.01
_LIMIT_SECONDS = 60.0


async def _server(root: Path) -> tuple[float, float]:
    """Seconds to healthy and resident bytes of `kandev serve` on a home of its own."""
    settings, environment = installation(root)
    begun = time.perf_counter()
    served = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "composition.cli", "serve", "--port", "0"),
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(_LIMIT_SECONDS):
            while await running_server(settings.home) is None:  # noqa: ASYNC110 -- as a client would
                await asyncio.sleep(_POLL_SECONDS)
        return time.perf_counter() - begun, _resident(served.pid)
    finally:
        served.terminate()
        await served.wait()


async def _agentctl(root: Path) -> tuple[float, float]:
    """Seconds to healthy and resident bytes of an agentctl, warmed up."""
    _, environment = installation(root)
    runtime = root / "run"
    runtime.mkdir(mode=0o700)
    command = [sys.executable, "-I", "-m", "composition.agentctl"]
    command += ["--home", environment["KANDEV_HOME"], "--runtime", str(runtime)]
    key = os.urandom(32)
    begun = time.perf_counter()
    told = await process.start(command, environment, key, root / "log", owned=False)
    connection = AgentctlConnection(told.announced.socket, key, os.urandom)
    try:
        health = await connection.health()
        took = time.perf_counter() - begun
        health.unwrap()
        return took, _resident(told.announced.pid)
    finally:
        await connection.close()
        await process.end(told.announced.pid, told.announced.started, told.process)


def _resident(pid: int) -> float:
    """Bytes in memory (proc(5), `statm`)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


@asynccontextmanager
async def _server_start() -> AsyncIterator[Pair]:
    async def measure() -> float:
        with folder() as root:
            return (await _server(root))[0]

    yield Pair(measure, constant(SERVER_SECONDS))


@asynccontextmanager
async def _server_memory() -> AsyncIterator[Pair]:
    async def measure() -> float:
        with folder() as root:
            return (await _server(root))[1]

    yield Pair(measure, constant(SERVER_BYTES))


@asynccontextmanager
async def _agentctl_start() -> AsyncIterator[Pair]:
    async def measure() -> float:
        with folder() as root:
            return (await _agentctl(root))[0]

    yield Pair(measure, constant(AGENTCTL_SECONDS))


@asynccontextmanager
async def _agentctl_memory() -> AsyncIterator[Pair]:
    async def measure() -> float:
        with folder() as root:
            return (await _agentctl(root))[1]

    yield Pair(measure, constant(AGENTCTL_BYTES))


BENCHMARKS: Final = (
    Benchmark("server.start", 1, _server_start, rounds=5),
    Benchmark("server.memory", 1, _server_memory, unit="B", rounds=3),
    Benchmark("agentctl.start", 1, _agentctl_start, rounds=5),
    Benchmark("agentctl.memory", 1, _agentctl_memory, unit="B", rounds=3),
)
