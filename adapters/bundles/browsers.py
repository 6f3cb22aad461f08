"""The browsers of each identity, and what they bring for a bundle: into files without a name."""

import asyncio
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from typing_extensions import override

from domain.browser_capture import Chunk, Envelope, Gathering, Verdict, admitted, taken
from domain.bundle import Source, frontend_name
from domain.bundle_job import Job
from domain.bundle_manifest import Evidence
from domain.bundle_path import BundleId
from domain.identity import UserId
from domain.redaction import MASK, Redacted
from ports.browsers import BrowserConnection, Browsers, CaptureRequest
from ports.clock import Clock
from ports.evidence import Collected, Scratch, ScratchFile

__all__ = ("ConnectedBrowsers",)


class Mask(Protocol):
    def __call__(self, data: bytes, /) -> Redacted[bytes]: ...


class _Connection(BrowserConnection):
    def __init__(self) -> None:
        self.requests: asyncio.Queue[CaptureRequest] = asyncio.Queue()

    @override
    async def next(self, seconds: float) -> CaptureRequest | None:
        try:
            async with asyncio.timeout(seconds):
                return await self.requests.get()
        except TimeoutError:
            return None


@dataclass(slots=True)
class _Sheet:
    """What one browser brought."""

    file: ScratchFile
    crc32: int = 0


class _Said(NamedTuple):
    """An envelope without its secrets, and how many there were."""

    envelope: Envelope
    masked: int


@dataclass(slots=True)
class _Capture:
    owner: UserId
    gathering: Gathering
    sheets: list[_Sheet] = field(default_factory=list)
    masked: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)


class ConnectedBrowsers(Browsers):
    def __init__(self, scratch: Scratch, mask: Mask, clock: Clock) -> None:
        self._scratch = scratch
        self._mask = mask
        self._clock = clock
        self._connections: dict[UserId, set[_Connection]] = {}
        self._captures: dict[BundleId, _Capture] = {}

    @contextmanager
    @override
    def connected(self, owner: UserId) -> Iterator[BrowserConnection]:
        connection = _Connection()
        of_owner = self._connections.setdefault(owner, set())
        of_owner.add(connection)
        try:
            yield connection
        finally:
            of_owner.discard(connection)
            if not of_owner:
                self._connections.pop(owner, None)

    @override
    async def gather(self, job: Job, budget: int) -> Collected:
        deadline = job.capture_deadline or job.build_deadline
        asked = self._connections.get(job.owner, set())
        capture = _Capture(job.owner, Gathering(len(asked), budget))
        for connection in asked:
            connection.requests.put_nowait(CaptureRequest(job.id, deadline))
        self._captures[job.id] = capture
        kept = False
        try:
            if asked:
                await self._wait(capture, deadline)
            del self._captures[job.id]
            async with capture.one_at_a_time:
                collected = self._collected(capture)
            kept = True
            return collected
        finally:
            self._captures.pop(job.id, None)
            if not kept:
                for sheet in capture.sheets:
                    sheet.file.close()

    @override
    async def bring(
        self,
        owner: UserId,
        bundle: BundleId,
        envelope: Envelope,
        entries: Callable[[], Sequence[bytes] | None],
    ) -> Verdict | None:
        capture = self._captures.get(bundle)
        if capture is None or capture.owner != owner:
            return None
        async with capture.one_at_a_time:
            if self._captures.get(bundle) is not capture:
                return None
            capture.gathering, verdict = admitted(capture.gathering, envelope)
            if verdict is Verdict.ACCEPTED:
                verdict = await self._take(capture, envelope, entries())
            if capture.gathering.over:
                capture.over.set()
        return verdict

    async def _take(
        self, capture: _Capture, envelope: Envelope, entries: Sequence[bytes] | None
    ) -> Verdict:
        if entries is None:
            return Verdict.INVALID
        masked = [self._mask(entry) for entry in entries]
        said = self._said(envelope)
        chunk = Chunk(said.envelope, [each.text for each in masked])
        gathering, verdict = taken(capture.gathering, chunk)
        while len(capture.sheets) < len(gathering.heard):
            capture.sheets.append(_Sheet(await self._scratch.new()))
        if verdict is Verdict.ACCEPTED:
            sheet = capture.sheets[gathering.number(envelope.browser)]
            data = b"".join(entry + b"\n" for entry in chunk.entries)
            await sheet.file.write(data)
            sheet.crc32 = zlib.crc32(data, sheet.crc32)
            capture.masked += said.masked + sum(each.masked for each in masked)
        capture.gathering = gathering
        return verdict

    def _said(self, envelope: Envelope) -> _Said:
        """What it says about itself, which the manifest shows."""
        if envelope.metadata is None:
            return _Said(envelope, 0)
        metadata = self._mask(json.dumps(envelope.metadata).encode())
        return _Said(envelope._replace(metadata=_decoded(metadata.text)), metadata.masked)

    async def _wait(self, capture: _Capture, deadline: datetime) -> None:
        seconds = (deadline - self._clock.now()).total_seconds()
        waiting = asyncio.ensure_future(capture.over.wait())
        try:
            await asyncio.wait({waiting}, timeout=max(seconds, 0))
        finally:
            waiting.cancel()
            await asyncio.wait({waiting})

    def _collected(self, capture: _Capture) -> Collected:
        now = self._clock.now()
        evidence = [
            Evidence(
                source=Source.FRONTEND,
                name=frontend_name(number),
                size=heard.length,
                offset=0,
                length=heard.length,
                crc32=sheet.crc32,
                modified=now,
                records=heard.entries,
            )
            for number, (heard, sheet) in enumerate(
                zip(capture.gathering.heard, capture.sheets, strict=True), start=1
            )
        ]
        return Collected(
            evidence,
            [sheet.file.pinned() for sheet in capture.sheets],
            redactions={Source.FRONTEND.value: capture.masked} if capture.masked else {},
            capture=capture.gathering.capture(),
        )


def _decoded(metadata: bytes) -> dict[str, object]:
    """The object that was masked, or that it was, where the mask took a quote with it."""
    try:
        shown: dict[str, object] = json.loads(metadata)
    except ValueError:
        return {"redacted": MASK}
    return shown
