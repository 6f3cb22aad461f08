"""What one more idle session costs agentctl: its memory, and its descriptors."""

import asyncio
import os
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from adapters.agentctl import process, wire
from adapters.agentctl.connection import AgentctlConnection
from bench.harness import Benchmark, Measure, Pair, constant
from bench.stage import folder, installation

__all__ = ("BENCHMARKS",)

WARM: Final = 100
"""Sessions that are there before anything is measured: the first ones pay for what all share."""
MORE: Final = 900
"""With the warm ones, a thousand."""
TOGETHER: Final = 8

KIBIBYTES: Final = 16.0
"""Of agentctl's own memory. A third of it is the event loop's: the transports of three pipes, the
reader of the pidfd and the server of the socket for tools."""

DESCRIPTORS: Final = 6.0
"""The agent's three pipes and its pidfd, the log, and the socket for its tools."""

AGENT: Final = r"""
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *initialize*) r='{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *) r='{"sessionId":"s"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
"""
"""As little as an agent can be, so that a thousand of them have room."""


@asynccontextmanager
async def _sessions(figure: str) -> AsyncIterator[Pair]:
    with folder() as root:
        async with _agentctl(root) as (connection, pid):
            script = root / "agent.sh"
            script.write_text(AGENT, encoding="utf-8")
            await _launch(connection, root, script, WARM)
            yield Pair(_growing(connection, root, script, pid, figure), _limit(figure))


def _limit(figure: str) -> Measure:
    return constant(KIBIBYTES if figure == "memory" else DESCRIPTORS)


def _growing(
    connection: AgentctlConnection, root: Path, script: Path, pid: int, figure: str
) -> Measure:
    async def measure() -> float:
        before = _of(pid, figure)
        await _launch(connection, root, script, MORE)
        return (_of(pid, figure) - before) / MORE

    return measure


def _of(pid: int, figure: str) -> float:
    if figure == "descriptors":
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


async def _launch(connection: AgentctlConnection, root: Path, script: Path, number: int) -> None:
    room = asyncio.Semaphore(TOGETHER)

    async def one() -> None:
        async with room:
            name = uuid.uuid4().hex
            asked = wire.Create(
                execution=name,
                task=name,
                session=name,
                agent="idle",
                command=["/bin/sh", str(script)],
                hard_stop=True,
                executor="worktree",
                workspace=str(root / "tasks" / name),
                checkouts=[],
                layers=[],
                managed=None,
                removes=[],
                acp_session=None,
                approve_automatically=False,
            )
            answer = await connection.request(
                "POST", "/api/v1/instances", content=msgspec.json.encode(asked), seconds=60
            )
            answer.unwrap()

    async with asyncio.TaskGroup() as group:
        for _ in range(number):
            group.create_task(one())


@asynccontextmanager
async def _agentctl(root: Path) -> AsyncIterator[tuple[AgentctlConnection, int]]:
    _, environment = installation(root)
    runtime = root / "run"
    runtime.mkdir(mode=0o700)
    command = [sys.executable, "-I", "-m", "composition.agentctl"]
    command += ["--home", environment["KANDEV_HOME"], "--runtime", str(runtime)]
    key = os.urandom(32)
    told = await process.start(command, environment, key, root / "log", owned=False)
    connection = AgentctlConnection(told.announced.socket, key, os.urandom)
    try:
        yield connection, told.announced.pid
    finally:
        await connection.close()
        await process.end(told.announced.pid, told.announced.started, told.process)


BENCHMARKS: Final = (
    Benchmark("sessions.memory", 1.0, lambda: _sessions("memory"), "KiB", rounds=1),
    Benchmark("sessions.descriptors", 1.0, lambda: _sessions("descriptors"), "", rounds=1),
)
