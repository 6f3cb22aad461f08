"""A bundle of 256 MiB into a workspace, beside `cat | cat` and the checksum of the same bytes.

The control plane's end is this process; agentctl is one of its own, with an agent in the workspace.
"""

import asyncio
import itertools
import os
import subprocess
import sys
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from typing_extensions import override

from adapters.agentctl import process, wire
from adapters.agentctl.bundle_sink import AgentctlBundleSink
from adapters.agentctl.connection import AgentctlConnection
from adapters.agentctl.runtime import Keeper
from bench.harness import Benchmark, Pair, constant
from bench.stage import folder, installation
from domain.bundle import ARCHIVE_BYTES, MIB
from domain.bundle_path import BundleId
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Result, Success
from ports.bundle_sink import Consignment
from ports.runtime import RuntimeProblem

__all__ = ("BENCHMARKS",)

SMALL: Final = 16 * MIB
LOOK_SECONDS: Final = 0.005


class Kept(Keeper):
    def __init__(self, connection: AgentctlConnection) -> None:
        self._connection = connection

    @override
    async def ensure(self) -> Result[AgentctlConnection, RuntimeProblem]:
        return Success(self._connection)

    @override
    def present(self) -> AgentctlConnection | None:
        return self._connection


@dataclass
class Place:
    """A workspace to deliver to, and the pid of the agentctl that has it."""

    sink: AgentctlBundleSink
    handle: Handle
    agentctl: int
    source: Path
    numbers: "itertools.count[int]"

    async def deliver(self, length: int) -> float:
        """Seconds for one bundle; it is taken away again."""
        bundle = BundleId(f"{next(self.numbers):016x}")
        crc = await asyncio.to_thread(_crc, self.source, length)
        given = Consignment(bundle, length, crc, lambda: _chunks(self.source, length))
        begun = time.perf_counter()
        staged = (await self.sink.stage(self.handle, given)).unwrap()
        delivered = (await self.sink.commit(self.handle, bundle, staged)).unwrap()
        took = time.perf_counter() - begun
        await asyncio.to_thread(Path(delivered.absolute_path).unlink)
        return took

    async def growth(self, length: int) -> float:
        """MiB by which either end grew at most while it delivered."""
        pids = (os.getpid(), self.agentctl)
        before = [_resident(pid) for pid in pids]
        most = list(before)
        delivering = asyncio.create_task(self.deliver(length))
        while not delivering.done():
            await asyncio.wait({delivering}, timeout=LOOK_SECONDS)
            most = [max(was, _resident(pid)) for was, pid in zip(most, pids, strict=True)]
        await delivering
        return max(after - was for was, after in zip(before, most, strict=True)) / MIB


@asynccontextmanager
async def _place() -> AsyncIterator[Place]:
    with folder() as root:
        source = root / "source"
        with source.open("wb") as file:
            for _ in range(ARCHIVE_BYTES // MIB):
                file.write(os.urandom(MIB))
        _, environment = installation(root)
        runtime = root / "run"
        runtime.mkdir(mode=0o700)
        command = [sys.executable, "-I", "-m", "composition.agentctl"]
        command += ["--home", environment["KANDEV_HOME"], "--runtime", str(runtime)]
        key = os.urandom(32)
        told = await process.start(command, environment, key, root / "log", owned=False)
        connection = AgentctlConnection(told.announced.socket, key, os.urandom)
        try:
            handle = Handle(ExecutionId(f"bench-{os.getpid()}"), TaskId("t"), SessionId("s"))
            await _agent(connection, handle, root / "workspace")
            sink = AgentctlBundleSink(Kept(connection))
            yield Place(sink, handle, told.announced.pid, source, itertools.count())
        finally:
            await connection.close()
            await process.end(told.announced.pid, told.announced.started, told.process)


async def _agent(connection: AgentctlConnection, handle: Handle, workspace: Path) -> None:
    asked = wire.Create(
        execution=handle.execution,
        task=handle.task,
        session=handle.session,
        agent="demo",
        command=[sys.executable, "-I", "-m", "adapters.scripted_agent"],
        hard_stop=False,
        executor="worktree",
        workspace=str(workspace),
        checkouts=[],
        layers=[],
        managed=None,
        removes=[],
        acp_session=None,
        approve_automatically=True,
    )
    created = await connection.request(
        "POST", "/api/v1/instances", content=msgspec.json.encode(asked)
    )
    created.unwrap()


async def _chunks(source: Path, length: int) -> AsyncGenerator[bytes, None]:
    descriptor = os.open(source, os.O_RDONLY)
    try:
        for offset in range(0, length, MIB):
            yield await asyncio.to_thread(os.pread, descriptor, MIB, offset)
    finally:
        os.close(descriptor)


def _crc(source: Path, length: int) -> int:
    crc = 0
    with source.open("rb") as file:
        for _ in range(length // MIB):
            crc = zlib.crc32(file.read(MIB), crc)
    return crc


def _resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _plainly(source: Path) -> float:
    """Two processes and a pipe between the files, and the checksum."""
    target = source.with_name("target")
    begun = time.perf_counter()
    subprocess.run(["/bin/sh", "-c", f"cat {source} | cat > {target}"], check=True)
    _crc(source, ARCHIVE_BYTES)
    took = time.perf_counter() - begun
    target.unlink()
    return took


@asynccontextmanager
async def _time() -> AsyncIterator[Pair]:
    async with _place() as place:

        async def plainly() -> float:
            return await asyncio.to_thread(_plainly, place.source)

        yield Pair(lambda: place.deliver(ARCHIVE_BYTES), plainly)


@asynccontextmanager
async def _memory() -> AsyncIterator[Pair]:
    async with _place() as place:
        yield Pair(lambda: place.growth(ARCHIVE_BYTES), constant(16.0))


@asynccontextmanager
async def _memory_by_size() -> AsyncIterator[Pair]:
    """How much more a large one takes than a small one; a page is not told apart from none."""
    async with _place() as place:
        await place.growth(ARCHIVE_BYTES)

        async def more() -> float:
            return max(await place.growth(ARCHIVE_BYTES) - await place.growth(SMALL), 0.0)

        yield Pair(more, constant(8.0))


BENCHMARKS: Final = (
    Benchmark("delivery.total", 2.5, _time, rounds=7),
    Benchmark("delivery.memory", 1.0, _memory, unit="MiB", rounds=3),
    Benchmark("delivery.memory_by_size", 1.0, _memory_by_size, unit="MiB", rounds=3),
)
