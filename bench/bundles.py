"""A bundle of 160 MiB of logs on its way to a client, beside a zip that is built before it is sent.

Both go through a socket to a reader who throws the bytes away; the evidence of the log is what the
product collects, and the archive what it plans.
"""

import asyncio
import os
import socket
import time
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from adapters.bundles.held import HeldBundle
from adapters.logs.evidence import LogEvidence
from adapters.logs.logs import Logs, Thresholds
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from bench.harness import Benchmark, Pair
from bench.stage import folder
from domain import bundle_plan
from domain.bundle import BACKEND_BYTES, MIB, Source
from domain.bundle_job import LEASE
from domain.bundle_manifest import Manifest, Product
from domain.bundle_request import BundleRequest
from domain.log_retention import ACTIVE_NAME
from domain.principal import HOME_OWNER
from domain.redaction import Redactor

__all__ = ("BENCHMARKS",)

REQUEST: Final = BundleRequest((Source.BACKEND,))
LINE: Final = b'{"timestamp":"2026-07-29T12:00:00Z","level":"info","event":"%s"}\n'


class Received(NamedTuple):
    """Seconds from the request to the first byte and to the last."""

    first: float
    last: float


Sending = Callable[[socket.socket], Awaitable[None]]


async def received(send: Sending) -> Received:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    begun = time.perf_counter()
    reading = asyncio.create_task(asyncio.to_thread(_drain, theirs))
    try:
        await send(ours)
    finally:
        ours.close()
        first, last = await reading
        theirs.close()
    return Received(first - begun, last - begun)


def _drain(end: socket.socket) -> tuple[float, float]:
    buffer = bytearray(MIB)
    end.recv_into(buffer)
    first = time.perf_counter()
    while end.recv_into(buffer):
        pass
    return first, time.perf_counter()


async def planned(evidence: LogEvidence, end: socket.socket) -> None:
    """What the product does for a job and its download."""
    now = SystemClock().now()
    collected = await evidence.collect(HOME_OWNER, REQUEST, BACKEND_BYTES)
    manifest = Manifest(
        created_at=now,
        expires_at=now + LEASE,
        product=Product("1", "", "Linux", "x"),
        requested=REQUEST.sources,
        evidence=collected.evidence,
        losses=collected.losses,
    )
    bundle = HeldBundle(bundle_plan.plan(manifest).unwrap(), collected.pinned, lambda: None)
    loop = asyncio.get_running_loop()
    async with aclosing(bundle.chunks(0, bundle.archive.length)) as chunks:
        async for chunk in chunks:
            await loop.sock_sendall(end, chunk)
    bundle.expire()


async def built(log: Path, end: socket.socket) -> None:
    """A stored zip, written whole with the library's own means, and then sent by the kernel."""
    archive = log.with_suffix(".zip")
    await asyncio.to_thread(_zip, log, archive)
    with archive.open("rb") as file:
        await asyncio.get_running_loop().sock_sendfile(end, file)
    archive.unlink()


def _zip(log: Path, archive: Path) -> None:
    with (
        zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as writing,
        writing.open(log.name, "w") as entry,
        log.open("rb") as reading,
    ):
        while data := reading.read(MIB):
            entry.write(data)


@asynccontextmanager
async def _sent(what: Callable[[Received], float]) -> AsyncIterator[Pair]:
    with folder() as root:
        clock, log = SystemClock(), root / ACTIVE_NAME
        line = LINE % (b"x" * 200)
        with log.open("wb") as file:
            for _ in range(BACKEND_BYTES // MIB):
                file.write((line * (MIB // len(line) + 1))[: MIB - 1] + b"\n")
        os.utime(log)
        evidence = LogEvidence(Logs(root, clock, Registry(Redactor()).mask, Thresholds()), clock)

        async def ours() -> float:
            return what(await received(partial(planned, evidence)))

        async def theirs() -> float:
            return what(await received(partial(built, log)))

        yield Pair(ours, theirs)


BENCHMARKS: Final = (
    Benchmark("bundle.first_byte", 1 / 100, lambda: _sent(lambda seen: seen.first), rounds=7),
    Benchmark("bundle.total", 1 / 2, lambda: _sent(lambda seen: seen.last), rounds=7),
)
