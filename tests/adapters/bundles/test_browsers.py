"""Browsers that are asked: who hears of a job, what they bring, and how long it is waited for."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.bundles.browsers import ConnectedBrowsers
from adapters.bundles.scratch import HomeScratch
from adapters.redactor.registry import Registry
from domain.browser_capture import Envelope, Verdict
from domain.bundle import MIB, Source
from domain.bundle_job import Job, JobState
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.redaction import Redactor
from ports.evidence import Collected
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

OWNER, OTHER = UserId("owner"), UserId("other")
BUNDLE = BundleId("0123456789abcdef")
PLANTED = "ghp_0123456789abcdefghij0123456789abcd"
SECONDS = 20.0


@dataclass
class Room:
    browsers: ConnectedBrowsers
    clock: ManualClock

    def job(self, seconds: float = 15.0) -> Job:
        now = self.clock.now()
        return Job(
            BUNDLE,
            OWNER,
            BundleRequest((Source.FRONTEND,)),
            JobState.COLLECTING,
            now,
            now + timedelta(minutes=5),
            capture_deadline=now + timedelta(seconds=seconds),
        )

    async def gather(self, seconds: float = 15.0) -> Collected:
        async with asyncio.timeout(SECONDS):
            return await self.browsers.gather(self.job(seconds), 80 * MIB)

    async def bring(
        self,
        *entries: object,
        browser: str = "b1",
        stream: str = "s1",
        number: int = 0,
        done: bool = True,
        owner: UserId = OWNER,
    ) -> Verdict | None:
        def lines() -> Sequence[bytes]:
            return [json.dumps(each).encode() for each in entries]

        envelope = Envelope(browser, stream, number, done, "memory")
        return await self.browsers.bring(owner, BUNDLE, envelope, lines)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    clock = ManualClock()
    return Room(ConnectedBrowsers(HomeScratch(tmp_path), Registry(Redactor()).mask, clock), clock)


async def read(collected: Collected) -> list[bytes]:
    """The payloads, which are let go."""
    payloads = []
    for entry, pinned in zip(collected.evidence, collected.pinned, strict=True):
        payloads.append(await pinned.read(0, entry.length))
        pinned.close()
    return payloads


@requirement("bundle:capture:asked")
async def test_only_the_owner_s_browsers_are_asked(room: Room) -> None:
    with ExitStack() as stack:
        ours = [stack.enter_context(room.browsers.connected(OWNER)) for _ in range(2)]
        theirs = stack.enter_context(room.browsers.connected(OTHER))
        gathering = asyncio.create_task(room.gather())
        asked = [await each.next(SECONDS) for each in ours]
        quiet = await theirs.next(0)
        for number in range(2):
            await room.bring(browser=f"b{number}")
        collected = await gathering

    assert {each.bundle for each in asked if each is not None} == {BUNDLE}
    assert quiet is None
    assert collected.capture is not None
    assert collected.capture.targeted == 2
    await read(collected)


@requirement("bundle:capture:early")
async def test_nobody_is_waited_for_where_nobody_is_connected(room: Room) -> None:
    with room.browsers.connected(OTHER):
        collected = await room.gather(seconds=1e6)

    assert collected.capture is not None
    assert collected.capture.targeted == 0


@requirement("bundle:capture:lines")
@requirement("bundle:capture:kept")
async def test_what_was_brought_before_the_deadline_is_kept_without_a_secret(room: Room) -> None:
    with room.browsers.connected(OWNER) as connection:
        gathering = asyncio.create_task(room.gather(seconds=0.3))
        await connection.next(SECONDS)
        await room.bring({"message": "one"}, {"message": f"token {PLANTED}"}, done=False)
        await room.bring({"message": "three"}, number=1, done=False)
        collected = await gathering

    (payload,) = await read(collected)
    lines = [json.loads(line) for line in payload.splitlines()]
    assert [line["message"] for line in lines] == ["one", "token [REDACTED]", "three"]
    assert collected.redactions == {"frontend": 1}
    assert [(each.name, each.records) for each in collected.evidence] == [
        ("frontend/browser-01.jsonl", 3)
    ]
    assert collected.capture is not None
    assert [each.complete for each in collected.capture.profiles] == [False]


@requirement("bundle:capture:kept")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({"lost": 1, "why": "é"}, {"lost": 1, "why": "é"}),
        ({"said": f"token {PLANTED}"}, {"said": "token [REDACTED]"}),
        ({PLANTED: {"deep": [PLANTED]}}, {"[REDACTED]": {"deep": ["[REDACTED]"]}}),
    ],
)
async def test_what_a_browser_says_about_itself_is_redacted_too(
    room: Room, said: dict[str, object], shown: dict[str, object]
) -> None:
    envelope = Envelope("b1", "s1", 0, True, "memory", said, 1)
    with room.browsers.connected(OWNER) as connection:
        gathering = asyncio.create_task(room.gather())
        await connection.next(SECONDS)
        await room.browsers.bring(OWNER, BUNDLE, envelope, list)
        collected = await gathering

    await read(collected)
    assert collected.capture is not None
    [profile] = collected.capture.profiles
    assert profile.metadata == shown
    assert collected.redactions.get("frontend", 0) == json.dumps(said).count(PLANTED)


@requirement("bundle:capture:first")
async def test_the_entries_of_a_tab_that_is_not_heard_are_not_looked_at(room: Room) -> None:
    def never() -> Sequence[bytes]:
        raise AssertionError

    with room.browsers.connected(OWNER) as connection:
        gathering = asyncio.create_task(room.gather())
        await connection.next(SECONDS)
        await room.bring({"message": "one"}, done=False)
        envelope = Envelope("b1", "s2", 7, False, "memory")
        ignored = await room.browsers.bring(OWNER, BUNDLE, envelope, never)
        await room.bring(number=1)
        collected = await gathering

    assert ignored is Verdict.IGNORED
    assert await read(collected) == [b'{"message": "one"}\n']


@requirement("bundle:capture:owner")
async def test_nothing_is_taken_from_another_or_for_a_job_that_does_not_wait(room: Room) -> None:
    early = await room.bring()
    with room.browsers.connected(OWNER) as connection:
        gathering = asyncio.create_task(room.gather())
        await connection.next(SECONDS)
        foreign = await room.bring(owner=OTHER)
        await room.bring()
        collected = await gathering
    late = await room.bring(browser="b2")

    assert (early, foreign, late) == (None, None, None)
    assert await read(collected) == [b""]


@requirement("bundle:capture:kept")
async def test_a_job_that_is_given_up_lets_go_of_what_came(room: Room) -> None:
    with room.browsers.connected(OWNER) as connection:
        gathering = asyncio.create_task(room.gather())
        await connection.next(SECONDS)
        await room.bring({"message": "one"}, done=False)
        gathering.cancel()
        await asyncio.wait({gathering})

    assert gathering.cancelled()
    assert await room.bring(number=1) is None
