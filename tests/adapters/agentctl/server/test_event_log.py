"""The log of events: numbers, durability, readers, acknowledgement."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from adapters.agentctl.server.event_log import BeyondError, EventLog, TrimmedError
from domain.event import EventKind
from tests.full_disk import full_disk
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AT = datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)


Open = Callable[..., EventLog]


@pytest.fixture
def open_log(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def opened(**sizes: int) -> EventLog:
            log = EventLog(tmp_path, now=lambda: AT, clean=lambda encoded: encoded, **sizes)
            log.open()
            stack.callback(log.close)
            return log

        yield opened


@pytest.fixture
def log(open_log: Open) -> EventLog:
    return open_log()


def _append(log: EventLog, *texts: str) -> None:
    for text in texts:
        log.append(EventKind.MESSAGE_CHUNK, 1, {"text": text})
    log.flush()


async def _read(log: EventLog, after: int) -> list[dict[str, Any]]:
    pieces = [piece async for piece in log.follow(after)]
    return [json.loads(line) for line in b"".join(pieces).splitlines()]


@requirement("events:numbered")
async def test_a_line_is_the_event(log: EventLog) -> None:
    log.append(EventKind.NOISE, None, {"text": "ä"})
    log.flush()
    log.end()

    assert await _read(log, 0) == [
        {
            "n": 1,
            "at": "2026-01-02T03:04:05.678Z",
            "kind": "noise",
            "generation": None,
            "body": {"text": "ä"},
        }
    ]


@requirement("events:numbered")
@pytest.mark.parametrize("after", [0, 1, 5, 6, 10, 11])
async def test_a_reader_is_given_what_comes_after_the_last_it_has(
    open_log: Open, after: int
) -> None:
    log = open_log(segment_bytes=250, read_bytes=64)
    for number in range(1, 11):
        _append(log, str(number))
    log.end()

    assert [event["n"] for event in await _read(log, after)] == list(range(after + 1, 11))


@requirement("events:numbered")
async def test_two_readers_are_each_given_everything(log: EventLog) -> None:
    async with asyncio.TaskGroup() as group:
        readers = [group.create_task(_read(log, 0)) for _ in range(2)]
        for number in range(5):
            _append(log, str(number))
            await asyncio.sleep(0)
        log.end()

    given = [[event["body"]["text"] for event in reader.result()] for reader in readers]
    assert given == [["0", "1", "2", "3", "4"]] * 2


@requirement("events:durable")
async def test_an_event_is_on_disk_before_it_is_handed_out(log: EventLog, tmp_path: Path) -> None:
    log.append(EventKind.NOISE, None, {})
    unflushed = log.last

    log.flush()
    follower = log.follow(0)
    piece = await anext(follower)
    await follower.aclose()

    assert unflushed == 0
    assert (tmp_path / "000000000001.ndjson").read_bytes() == piece


@requirement("events:durable")
async def test_a_disk_that_is_full_loses_nothing(log: EventLog) -> None:
    _append(log, "before")

    with full_disk(200):
        log.append(EventKind.MESSAGE_CHUNK, 1, {"text": "x" * 300})
        written = log.flush()
        last = log.last
    log.append(EventKind.MESSAGE_CHUNK, 1, {"text": "after"})
    again = log.flush()
    log.end()

    assert (written, last, again) == (False, 1, True)
    assert [event["body"]["text"] for event in await _read(log, 0)] == [
        "before",
        "x" * 300,
        "after",
    ]


@requirement("events:acknowledged")
async def test_what_was_acknowledged_is_trimmed_and_no_longer_counts(
    open_log: Open, tmp_path: Path
) -> None:
    log = open_log(segment_bytes=50)
    for number in range(10):
        _append(log, str(number))
    files = sorted(tmp_path.iterdir())

    log.acknowledge(9)
    log.acknowledge(4)

    assert len(files) == 10
    assert list(tmp_path.iterdir()) == files[9:]
    assert log.held == files[9].stat().st_size
    with pytest.raises(TrimmedError) as caught:
        log.check(3)
    assert caught.value.first == 10
    log.check(9)


@requirement("events:acknowledged")
async def test_a_number_that_was_not_given_yet_acknowledges_only_what_was(log: EventLog) -> None:
    _append(log, "a")
    log.acknowledge(100)
    _append(log, "b")

    assert log.held > 0
    log.acknowledge(2)
    assert log.held == 0


@requirement("events:beyond")
async def test_a_reader_ahead_of_the_newest_event_is_told_until_the_log_has_ended(
    open_log: Open,
) -> None:
    log = open_log()
    _append(log, "a")
    at_the_end = log.follow(1)

    with pytest.raises(BeyondError, match="the newest event is 1"):
        await anext(log.follow(2))
    _append(log, "b")
    assert b'"n":2' in await anext(at_the_end)
    await at_the_end.aclose()
    log.end()

    assert [piece async for piece in log.follow(3)] == []


@requirement("events:acknowledged")
async def test_a_reader_that_fell_behind_is_told(
    open_log: Open,
) -> None:
    log = open_log(segment_bytes=10)
    _append(log, "a")
    reader = log.follow(0)
    await anext(reader)
    for text in "bcd":
        _append(log, text)

    log.acknowledge(3)

    with pytest.raises(TrimmedError):
        await anext(reader)
