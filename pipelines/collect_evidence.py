"""Evidence by whose it is: the sessions there are, what agents said in some, the server's log.

Neither the title nor the prompt of a task is in the index of sessions. What agents said is redacted
once more: a secret may have become known after it was said.
"""

import json
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from typing_extensions import override

from domain.bundle import RUNTIME_NAME, Source, acp_name, select_rows
from domain.bundle_manifest import Caveat, Code, Evidence
from domain.bundle_request import BundleRequest
from domain.event import Json, SessionEvent
from domain.identity import SessionId, UserId
from domain.principal import HOME_OWNER, User
from domain.redaction import MASK
from domain.session import Session, SessionState
from pipelines.authority import administers, session_for
from ports.clock import Clock
from ports.evidence import Collected, EvidenceSource, Pinned, Scratch
from ports.redactor import Redactor
from ports.store import Store

__all__ = ("AgentMessages", "InstallationLog", "RuntimeIndex")

RUNTIME_WINDOW = timedelta(hours=72)
"""How old a session that has ended may be to be listed."""

BATCH = 500
"""Events read at once."""

_MASK = MASK.encode()


@dataclass(frozen=True, slots=True)
class HeldBytes(Pinned):
    """A payload in memory."""

    data: bytes

    @override
    async def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]

    @override
    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class RuntimeIndex(EvidenceSource):
    """The owner's sessions of the last 72 hours and those that run, newest first."""

    store: Store
    clock: Clock

    @override
    async def collect(self, owner: UserId, request: BundleRequest, budget: int) -> Collected:
        now = self.clock.now()
        async with self.store.read() as state:
            sessions = await state.sessions_of(owner)
        listed = [each for each in sessions if _is_recent(each, now)]
        listed.sort(key=lambda each: each.created_at, reverse=True)
        rows = select_rows(map(_row, listed), budget)
        evidence = Evidence(
            source=Source.RUNTIME,
            name=RUNTIME_NAME,
            size=len(rows.payload) + rows.omitted_bytes,
            offset=0,
            length=len(rows.payload),
            crc32=zlib.crc32(rows.payload),
            modified=now,
            records=rows.taken,
            first_time=listed[rows.taken - 1].created_at if rows.taken else None,
            last_time=listed[0].created_at if rows.taken else None,
        )
        return Collected([evidence], [HeldBytes(rows.payload)], rows.omitted_bytes)


@dataclass(frozen=True, slots=True)
class InstallationLog(EvidenceSource):
    """The log of the backend, which tells of everybody's work: for who administers alone.

    Of a home that nobody has claimed its owner administers. For anybody else there is none.
    """

    store: Store
    log: EvidenceSource

    @override
    async def collect(self, owner: UserId, request: BundleRequest, budget: int) -> Collected:
        async with self.store.read() as state:
            unclaimed = owner == HOME_OWNER and await state.account(owner) is None
            shown = unclaimed or await administers(state, User(owner))
        return await self.log.collect(owner, request, budget) if shown else Collected()


class _Copied(NamedTuple):
    """`masked` counts the places where a secret was, in whatever was copied."""

    entry: Evidence
    payload: Pinned
    masked: int


class _Newest(NamedTuple):
    """The events after one number up to another, and the bytes of those before."""

    after: int
    last: int
    left_out: int


@dataclass(frozen=True, slots=True)
class AgentMessages(EvidenceSource):
    """The stored events of the sessions that were named, each a file of JSON lines."""

    store: Store
    scratch: Scratch
    redactor: Redactor

    @override
    async def collect(self, owner: UserId, request: BundleRequest, budget: int) -> Collected:
        """Each session has an equal share, of which its newest events are taken."""
        evidence: list[Evidence] = []
        pinned: list[Pinned] = []
        caveats: list[Caveat] = []
        omitted = masked = 0
        try:
            for number, name in enumerate(request.sessions, start=1):
                session = SessionId(name)
                async with self.store.read() as state:
                    known = await session_for(state, User(owner), session)
                if known is None:
                    caveats.append(
                        Caveat(Code.ACP_SESSION_UNAVAILABLE, Source.ACP, acp_name(number))
                    )
                    continue
                newest = await self._newest(session, budget // len(request.sessions))
                copied = await self._copy(known, newest, number)
                evidence.append(copied.entry)
                pinned.append(copied.payload)
                omitted += newest.left_out
                masked += copied.masked
        except BaseException:
            for each in pinned:
                each.close()
            raise
        redactions = {Source.ACP.value: masked} if masked else {}
        return Collected(evidence, pinned, omitted, caveats, (), redactions)

    async def _newest(self, session: SessionId, share: int) -> _Newest:
        sizes: list[int] = []
        last = 0
        while batch := await self._events(session, last):
            sizes += [len(self._line(event)) for event in batch]
            last = batch[-1].sequence
        kept = len(sizes)
        while kept and sizes[kept - 1] <= share:
            share -= sizes[kept - 1]
            kept -= 1
        return _Newest(kept, last, sum(sizes[:kept]))

    async def _copy(self, session: Session, newest: _Newest, number: int) -> _Copied:
        file = await self.scratch.new()
        length = crc = masked = 0
        after = newest.after
        times: list[datetime] = []
        try:
            while after < newest.last:
                batch = await self._events(session.id, after)
                data = b"".join(self._line(each) for each in batch if each.sequence <= newest.last)
                await file.write(data)
                length, crc = length + len(data), zlib.crc32(data, crc)
                masked += data.count(_MASK)
                times = [*times[:1], batch[0].at, batch[-1].at]
                after = batch[-1].sequence
        except BaseException:
            file.close()
            raise
        entry = Evidence(
            source=Source.ACP,
            name=acp_name(number),
            size=newest.left_out + length,
            offset=newest.left_out,
            length=length,
            crc32=crc,
            modified=times[-1] if times else session.created_at,
            records=newest.last - newest.after,
            first_time=times[0] if times else None,
            last_time=times[-1] if times else None,
        )
        return _Copied(entry, file.pinned(), masked)

    def _line(self, event: SessionEvent) -> bytes:
        line = self.redactor.mask(_encoded(event, event.body))
        if not line.masked or _is_json(line.text):
            return line.text
        return _encoded(event, {"redacted": MASK})

    async def _events(self, session: SessionId, after: int) -> list[SessionEvent]:
        async with self.store.read() as state:
            return list(await state.events(session, after, BATCH))


def _is_recent(session: Session, now: datetime) -> bool:
    ended = session.state in {SessionState.STOPPED, SessionState.FAILED}
    return not ended or now - session.created_at <= RUNTIME_WINDOW


def _row(session: Session) -> bytes:
    return json.dumps({
        "session": session.id,
        "task": session.task,
        "agent": session.agent,
        "state": session.state.value,
        "execution": session.execution,
        "created_at": session.created_at.isoformat(),
    }).encode()


def _encoded(event: SessionEvent, body: Json) -> bytes:
    shown = {
        "sequence": event.sequence,
        "at": event.at.isoformat(),
        "kind": event.kind.value,
        "generation": event.generation,
        "body": body,
    }
    return json.dumps(shown, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _is_json(line: bytes) -> bool:
    """Whether the mask left the quotes where they were."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
