"""Events to very many readers, beside the framework's own server-sent events with a queue each.

What is measured is the processor's time of the server for one delivery; the readers are here.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench.harness import Benchmark, Pair
from bench.stage import folder

__all__ = ("BENCHMARKS",)

READERS: Final = 500
BURST: Final = 10
BURSTS: Final = 20
SECONDS: Final = 60.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def _beside_queues() -> AsyncIterator[Pair]:
    with folder() as root:
        async with _served("ours", root) as ours, _served("queues", root) as queues:
            yield Pair(ours, queues)


@asynccontextmanager
async def _served(kind: str, root: Path) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """A server of this kind with its readers; measures the cost of a delivery in microseconds."""
    (root / kind).mkdir()
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.fan_out_server", kind, str(root / kind)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    port = int(await child.stdout.readline())
    readers = [await _Reader.open(port) for _ in range(READERS)]
    told = child.stdin
    sent = 0

    async def measure() -> float:
        nonlocal sent
        before = _processor(child.pid)
        for _ in range(BURSTS):
            told.write(b"burst\n")
            await told.drain()
            sent += BURST
            async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
                for reader in readers:
                    group.create_task(reader.until(sent))
        return (_processor(child.pid) - before) / (BURSTS * BURST * READERS) * 1e6

    try:
        yield measure
    finally:
        for reader in readers:
            reader.writer.close()
        child.send_signal(signal.SIGKILL)
        await child.wait()


class _Reader:
    """A client that counts events by the blank line behind each."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.seen = 0

    @classmethod
    async def open(cls, port: int) -> "_Reader":
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /events HTTP/1.1\r\nHost: bench\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        return cls(reader, writer)

    async def until(self, number: int) -> None:
        while self.seen < number:
            self.seen += (await self.reader.read(64 * 1024)).count(b"event: ")


def _processor(pid: int) -> float:
    """Seconds of user and system (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


BENCHMARKS: Final = (Benchmark("events.fan_out", 0.45, _beside_queues, "us", rounds=5),)
