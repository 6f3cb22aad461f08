"""Evidence that the store has: an index of the sessions, and what agents said."""

import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from typing_extensions import override

from adapters.bundles.scratch import HomeScratch
from adapters.redactor.registry import Registry
from domain.account import Account, Role
from domain.bundle import Source
from domain.bundle_manifest import Code
from domain.bundle_request import BundleRequest
from domain.event import EventKind, ExecutionEvent
from domain.identity import UserId
from domain.principal import HOME_OWNER
from domain.redaction import MASK, Redactor
from domain.secret import Secret
from domain.session import Session
from pipelines.collect_evidence import AgentMessages, InstallationLog, RuntimeIndex
from ports.evidence import Collected, EvidenceSource
from tests.account_examples import account_of
from tests.pipelines.plane import Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

RUNTIME = BundleRequest((Source.RUNTIME,))
PLENTY = 1 << 20


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncIterator[Plane]:
    async with plane_over(tmp_path) as plane:
        yield plane


async def say(plane: Plane, session: Session, count: int) -> None:
    assert session.execution is not None
    async with plane.store.write() as unit:
        await unit.append_events(
            session.id,
            session.execution,
            [
                ExecutionEvent(
                    number,
                    plane.clock.now(),
                    EventKind.MESSAGE_CHUNK,
                    1,
                    {"text": f"said {number}"},
                )
                for number in range(1, count + 1)
            ],
        )


async def messages(
    plane: Plane, folder: Path, budget: int, *sessions: str, secret: str | None = None
) -> tuple[Collected, list[bytes]]:
    redactor = Registry(Redactor())
    if secret is not None:
        redactor.register(Secret(secret))
    source = AgentMessages(plane.store, HomeScratch(folder), redactor)
    collected = await source.collect(HOME_OWNER, BundleRequest((Source.ACP,), sessions), budget)
    payloads: list[bytes] = []
    for entry, pinned in zip(collected.evidence, collected.pinned, strict=True):
        payloads.append(await pinned.read(0, entry.length))
        assert zlib.crc32(payloads[-1]) == entry.crc32
        pinned.close()
    return collected, payloads


@requirement("bundles:acp")
async def test_all_that_an_agent_said_is_there_in_order(plane: Plane, tmp_path: Path) -> None:
    session = await plane.running()
    await say(plane, session, 1200)

    collected, [payload] = await messages(plane, tmp_path, PLENTY, session.id)

    said = [json.loads(line) for line in payload.splitlines()]
    assert [event["sequence"] for event in said] == list(range(1, 1201))
    assert said[-1]["body"] == {"text": "said 1200"}
    assert (collected.omitted_bytes, collected.evidence[0].records) == (0, 1200)


@requirement("bundles:acp")
async def test_of_more_than_its_share_the_newest_events_are_taken(
    plane: Plane, tmp_path: Path
) -> None:
    session = await plane.running()
    await say(plane, session, 9)
    _, [whole] = await messages(plane, tmp_path, PLENTY, session.id)
    line = len(whole) // 9

    exact, [three] = await messages(plane, tmp_path, 3 * line, session.id)
    _, [two] = await messages(plane, tmp_path, 3 * line - 1, session.id)
    _, [none] = await messages(plane, tmp_path, 0, session.id)

    assert three == whole[-3 * line :]
    assert exact.omitted_bytes == exact.evidence[0].offset == 6 * line
    assert two == whole[-2 * line :]
    assert none == b""


@requirement("bundles:acp:redacted")
async def test_what_became_known_as_a_secret_later_is_masked_and_counted(
    plane: Plane, tmp_path: Path
) -> None:
    session = await plane.running()
    await say(plane, session, 20)

    collected, [payload] = await messages(plane, tmp_path, PLENTY, session.id, secret="said 1234")
    longer, [masked] = await messages(plane, tmp_path, PLENTY, session.id, secret='": "said 1"')

    assert (dict(collected.redactions), payload.count(MASK.encode())) == ({}, 0)
    said = [json.loads(line)["body"] for line in masked.splitlines()]
    assert said[0] == {"redacted": MASK}
    assert said[1:] == [{"text": f"said {number}"} for number in range(2, 21)]
    assert (longer.redactions, longer.evidence[0].records) == ({"acp": 1}, 20)


@requirement("bundles:acp:unknown")
async def test_an_unknown_session_takes_nothing_from_the_others(
    plane: Plane, tmp_path: Path
) -> None:
    session = await plane.running()
    await say(plane, session, 1)

    collected, payloads = await messages(plane, tmp_path, PLENTY, "none", session.id)

    assert [entry.name for entry in collected.evidence] == ["acp/session-02.jsonl"]
    assert [caveat.code for caveat in collected.caveats] == [Code.ACP_SESSION_UNAVAILABLE]
    assert len(payloads) == 1


@requirement("bundles:runtime")
async def test_the_index_has_what_runs_and_what_ended_within_three_days(plane: Plane) -> None:
    running = await plane.running()
    old = await plane.stopped(await plane.running())
    plane.clock.advance(timedelta(hours=72))
    at_the_bound = await listed(plane)
    plane.clock.advance(timedelta(microseconds=1))

    assert {row["session"] for row in at_the_bound} == {running.id, old.id}
    assert [row["session"] for row in await listed(plane)] == [running.id]
    assert set(at_the_bound[0]) == {
        "session",
        "task",
        "agent",
        "state",
        "execution",
        "created_at",
    }


@requirement("bundles:runtime")
async def test_an_index_without_sessions_is_an_empty_list(plane: Plane) -> None:
    assert await listed(plane) == []


async def listed(plane: Plane) -> list[dict[str, str]]:
    collected = await RuntimeIndex(plane.store, plane.clock).collect(HOME_OWNER, RUNTIME, PLENTY)
    [entry], [pinned] = collected.evidence, collected.pinned
    payload = await pinned.read(0, entry.length)
    assert (entry.length, entry.crc32) == (len(payload), zlib.crc32(payload))
    rows: list[dict[str, str]] = json.loads(payload)
    return rows


@dataclass(frozen=True, slots=True)
class Logged(EvidenceSource):
    """A log of which a known number of bytes is left out."""

    @override
    async def collect(self, owner: UserId, request: BundleRequest, budget: int) -> Collected:
        return Collected(omitted_bytes=budget)


OTHER = UserId("other")
BACKEND = BundleRequest((Source.BACKEND,))


@requirement("bundles:backend:whose")
@pytest.mark.parametrize(
    ("owner", "account", "shown"),
    [
        (HOME_OWNER, None, True),
        (HOME_OWNER, account_of(HOME_OWNER, Role.ADMIN), True),
        (HOME_OWNER, account_of(HOME_OWNER), False),
        (OTHER, account_of(OTHER, Role.ADMIN), True),
        (OTHER, replace(account_of(OTHER, Role.ADMIN), active=False), False),
        (OTHER, account_of(OTHER), False),
        (OTHER, None, False),
    ],
)
async def test_the_log_of_the_backend_is_for_who_administers(
    plane: Plane, owner: UserId, account: Account | None, shown: bool
) -> None:
    if account is not None:
        async with plane.store.write() as unit:
            await unit.put_account(account)

    collected = await InstallationLog(plane.store, Logged()).collect(owner, BACKEND, 7)

    assert collected == Collected(omitted_bytes=7 if shown else 0)
