"""How long the two servers take to answer, and how much memory they hold, beside a bare server.

The reference is the least that the same libraries can be: one route on Litestar and uvicorn. For
the control plane the database's libraries are imported as well; for agentctl's memory the agents'
protocol, which it imports after its first answer.
"""

import asyncio
import os
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import httpx2

from adapters.agentctl import process
from adapters.agentctl.connection import AgentctlConnection
from bench.harness import Benchmark, Measure, Pair
from bench.stage import folder, installation
from composition.reach import running_server
from composition.settings import Settings

__all__ = ("BENCHMARKS",)

_POLL_SECONDS: Final = 0.01
_LIMIT_SECONDS: Final = 60.0
_SETTLED_SAMPLES: Final = 30
"""As many samples of memory in a row that do not differ: imports go on after the first answer."""

_LARGE_BYTES: Final = 1024**3
_EVENT_CHARACTERS: Final = 20_000
_AT: Final = "'2026-01-01T00:00:00.000000+00:00'"
_ONE_SESSION: Final = f"""
INSERT INTO workspaces (id, name, created_at) VALUES ('w', 'Bench', {_AT});
INSERT INTO tasks (id, workspace_id, title, prompt, state, created_at)
VALUES ('t', 'w', '', '', 'open', {_AT});
INSERT INTO task_sessions (id, task_id, agent, state, metadata, created_at, version)
VALUES ('s', 't', 'demo', 'stopped', '{{}}', {_AT}, 0);
INSERT INTO executions (id, task_id, session_id, executor, state, acknowledged, created_at)
VALUES ('e', 't', 's', 'local', 'ended', 0, {_AT});
"""
_EVENTS: Final = f"""
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?2)
INSERT INTO session_events (session_id, sequence, execution_id, execution_sequence, at, kind, body)
SELECT 's', i, 'e', i, {_AT}, 'message_chunk', '{{"text":"' || ?1 || '"}}' FROM n
"""

_BARE: Final = """
import socket, sys
import uvicorn
from litestar import Litestar, get
{imports}

@get("/health")
async def health() -> dict[str, str]:
    return {{}}

listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
settings = uvicorn.Config(Litestar([health]), http="httptools", loop="uvloop", log_config=None)
uvicorn.Server(settings).run(sockets=[listener])
"""
_DATABASE: Final = "import alembic.command, sqlalchemy.dialects.sqlite, sqlmodel"
_PROTOCOL: Final = "import acp.client.connection, acp.helpers, acp.schema"


class Healthy(NamedTuple):
    """A server that has answered: how long that took, and its process."""

    seconds: float
    pid: int


Starting = Callable[[Path], AbstractAsyncContextManager[Healthy]]
"""Starts a server in a folder, and ends it."""


@asynccontextmanager
async def _server(root: Path) -> AsyncIterator[Healthy]:
    """`kandev serve` on a home of its own."""
    async with _served(*installation(root)) as healthy:
        yield healthy


@asynccontextmanager
async def _served(settings: Settings, environment: dict[str, str]) -> AsyncIterator[Healthy]:
    arguments = ("-I", "-m", "composition.cli", "serve", "--port", "0")

    async def answers() -> bool:
        return await running_server(settings.home) is not None

    async with _child(arguments, environment, answers) as healthy:
        yield healthy


def _bare(imports: str = "") -> Starting:
    @asynccontextmanager
    async def starting(root: Path) -> AsyncIterator[Healthy]:
        path, script = root / "sock", root / "bare.py"
        script.write_text(_BARE.format(imports=imports), encoding="utf-8")
        transport = httpx2.AsyncHTTPTransport(uds=str(path))
        async with httpx2.AsyncClient(transport=transport, base_url="http://bare") as http:

            async def answers() -> bool:
                try:
                    return (await http.get("/health")).status_code == 200
                except httpx2.TransportError:
                    return False

            arguments = ("-I", str(script), str(path))
            async with _child(arguments, dict(os.environ), answers) as healthy:
                yield healthy

    return starting


@asynccontextmanager
async def _child(
    arguments: tuple[str, ...],
    environment: dict[str, str],
    answers: Callable[[], Awaitable[bool]],
) -> AsyncIterator[Healthy]:
    begun = time.perf_counter()
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(_LIMIT_SECONDS):
            while not await answers():  # noqa: ASYNC110 -- as a client would
                await asyncio.sleep(_POLL_SECONDS)
        yield Healthy(time.perf_counter() - begun, child.pid)
    finally:
        child.terminate()
        await child.wait()


@asynccontextmanager
async def _agentctl(root: Path) -> AsyncIterator[Healthy]:
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
        yield Healthy(took, told.announced.pid)
    finally:
        await connection.close()
        await process.end(told.announced.pid, told.announced.started, told.process)


def _start(starting: Starting) -> Measure:
    async def measure() -> float:
        with folder() as root:
            async with starting(root) as healthy:
                return healthy.seconds

    return measure


def _memory(starting: Starting) -> Measure:
    async def measure() -> float:
        with folder() as root:
            async with starting(root) as healthy:
                return await _settled(healthy.pid)

    return measure


async def _settled(pid: int) -> float:
    """MiB in memory (proc(5), `statm`), once they grow no more."""
    seen: list[int] = []
    async with asyncio.timeout(_LIMIT_SECONDS):
        while len(seen) < _SETTLED_SAMPLES or len(set(seen[-_SETTLED_SAMPLES:])) > 1:
            seen.append(_resident_pages(pid))
            await asyncio.sleep(_POLL_SECONDS)
    return seen[-1] * os.sysconf("SC_PAGE_SIZE") / 1024**2


def _resident_pages(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])


@asynccontextmanager
async def _grown() -> AsyncIterator[Pair]:
    """Two homes that a server has been on, one of them with a large database."""
    with folder() as root:
        measures = []
        for name in ("large", "empty"):
            (root / name).mkdir()
            place = installation(root / name)
            async with _served(*place):
                pass
            if name == "large":
                _grow(place[0].home / "kandev.db")
            measures.append(_start_again(*place))
        yield Pair(*measures)


def _start_again(settings: Settings, environment: dict[str, str]) -> Measure:
    async def measure() -> float:
        async with _served(settings, environment) as healthy:
            return healthy.seconds

    return measure


def _grow(database: Path) -> None:
    """Events of one session, as long ones as there are, until the database is large."""
    with closing(sqlite3.connect(database)) as driver, driver:
        driver.executescript(_ONE_SESSION)
        driver.execute(_EVENTS, ("e" * _EVENT_CHARACTERS, _LARGE_BYTES // _EVENT_CHARACTERS))
    assert database.stat().st_size >= _LARGE_BYTES


def _beside(
    name: str, goal: float, value: Measure, reference: Measure, *, unit: str = "s", rounds: int
) -> Benchmark:
    @contextmanager
    def prepare() -> Iterator[Pair]:
        yield Pair(value, reference)

    return Benchmark(name, goal, prepare, unit, rounds)


BENCHMARKS: Final = (
    _beside("server.start", 2.5, _start(_server), _start(_bare(_DATABASE)), rounds=7),
    Benchmark("server.start_large", 1.3, _grown, rounds=5),
    _beside("agentctl.start", 2.5, _start(_agentctl), _start(_bare()), rounds=7),
    _beside(
        "server.memory", 1.6, _memory(_server), _memory(_bare(_DATABASE)), unit="MiB", rounds=3
    ),
    _beside(
        "agentctl.memory", 1.6, _memory(_agentctl), _memory(_bare(_PROTOCOL)), unit="MiB", rounds=3
    ),
)
