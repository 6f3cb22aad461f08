"""Evidence that is there when a test says so, and knows whether it was let go."""

import asyncio
import zlib
from dataclasses import dataclass, field

from domain.bundle import Source
from domain.bundle_job import Job
from domain.bundle_manifest import Evidence
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from ports.evidence import Collected, EvidenceChanged
from tests.fakes.clock import ManualClock

__all__ = ("Drawer", "Paper")


class Paper:
    """A payload that knows whether it was let go, and may have changed."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.closed = False

    async def read(self, offset: int, length: int) -> bytes:
        assert not self.closed
        data = self.data[offset : offset + length]
        if len(data) < length:
            raise EvidenceChanged
        return data

    def close(self) -> None:
        self.closed = True


@dataclass
class Drawer:
    """A source that waits until it may answer."""

    clock: ManualClock
    go: asyncio.Event = field(default_factory=asyncio.Event)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    papers: list[Paper] = field(default_factory=list)
    broken: bool = False
    data: bytes = b"a line\n" * 10
    asked: list[BundleRequest] = field(default_factory=list)

    async def collect(self, owner: UserId, request: BundleRequest, budget: int) -> Collected:
        self.asked.append(request)
        self.reached.set()
        await self.go.wait()
        if self.broken:
            raise RuntimeError("broken")
        data = self.data
        entry = Evidence(
            Source.BACKEND,
            f"backend/log-{len(self.papers)}",
            len(data),
            0,
            len(data),
            zlib.crc32(data),
            self.clock.now(),
        )
        self.papers.append(Paper(data))
        return Collected([entry], [self.papers[-1]])

    async def gather(self, job: Job, budget: int) -> Collected:
        """As a source of browsers."""
        return await self.collect(job.owner, job.request, budget)
