"""The logs of the backend as evidence, on a real file system."""

import os
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.logs.evidence import LogEvidence
from adapters.logs.logs import Logs, Thresholds
from adapters.redactor.registry import Registry
from domain.bundle import Source
from domain.bundle_manifest import Code
from domain.bundle_request import BundleRequest
from domain.log_queue import Level
from domain.principal import HOME_OWNER
from domain.redaction import Redactor
from ports.evidence import Collected, EvidenceChanged
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

BACKEND = BundleRequest((Source.BACKEND,))
BUDGET = 1 << 20
YESTERDAY = "backend-logs-2026-01-01.log"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def logs(tmp_path: Path, clock: ManualClock) -> Iterator[Logs]:
    logs = Logs(tmp_path, clock, Registry(Redactor()).mask, Thresholds(console=Level.FATAL))
    logs.start()
    yield logs
    logs.close()


async def content(collected: Collected) -> dict[str, bytes]:
    found = {}
    for entry, pinned in zip(collected.evidence, collected.pinned, strict=True):
        found[entry.name] = await pinned.read(0, entry.length)
        assert zlib.crc32(found[entry.name]) == entry.crc32
        assert len(found[entry.name]) == entry.length
    return found


def let_go(collected: Collected) -> None:
    for pinned in collected.pinned:
        pinned.close()


@requirement("bundles:pinned")
async def test_what_is_pinned_stays_as_it_was_when_the_day_ends(
    tmp_path: Path, logs: Logs, clock: ManualClock
) -> None:
    logs.offer(Level.INFO, {"event": "before"})
    collected = await LogEvidence(logs, clock).collect(HOME_OWNER, BACKEND, BUDGET)
    before = (tmp_path / "backend-logs.log").read_bytes()
    clock.advance(timedelta(days=1))
    logs.offer(Level.INFO, {"event": "after"})
    assert logs.file.flush(10)
    (tmp_path / "backend-logs-2026-01-02.log").unlink()

    assert await content(collected) == {"backend/backend-logs.log": before}
    assert collected.evidence[0].first_time == collected.evidence[0].last_time
    let_go(collected)


@requirement("bundles:pinned")
async def test_what_is_logged_afterwards_is_not_in_it(
    tmp_path: Path, logs: Logs, clock: ManualClock
) -> None:
    logs.offer(Level.INFO, {"event": "before"})
    collected = await LogEvidence(logs, clock).collect(HOME_OWNER, BACKEND, BUDGET)
    before = (tmp_path / "backend-logs.log").read_bytes()
    for _ in range(1000):
        logs.offer(Level.INFO, {"event": "after"})
    assert logs.file.flush(10)

    assert (tmp_path / "backend-logs.log").stat().st_size > len(before)
    assert await content(collected) == {"backend/backend-logs.log": before}
    let_go(collected)


@requirement("bundles:pinned")
async def test_a_log_that_was_cut_short_from_outside_is_not_filled_up(
    tmp_path: Path, logs: Logs, clock: ManualClock
) -> None:
    logs.offer(Level.INFO, {"event": "before"})
    collected = await LogEvidence(logs, clock).collect(HOME_OWNER, BACKEND, BUDGET)
    os.truncate(tmp_path / "backend-logs.log", 3)

    with pytest.raises(EvidenceChanged):
        await collected.pinned[0].read(0, collected.evidence[0].length)
    let_go(collected)


async def test_the_newest_whole_lines_within_the_budget_are_taken(
    tmp_path: Path, logs: Logs, clock: ManualClock
) -> None:
    logs.offer(Level.INFO, {"event": "today"})
    assert logs.file.flush(10)
    (tmp_path / YESTERDAY).write_bytes(b"one\ntwo\nthree\n")
    today = (tmp_path / "backend-logs.log").read_bytes()

    collected = await LogEvidence(logs, clock).collect(HOME_OWNER, BACKEND, len(today) + 8)

    assert await content(collected) == {
        "backend/backend-logs.log": today,
        f"backend/{YESTERDAY}": b"three\n",
    }
    assert collected.omitted_bytes == len(b"one\ntwo\n")
    let_go(collected)


@requirement("bundles:pinned")
async def test_a_link_a_folder_and_a_pipe_are_no_logs(
    tmp_path: Path, logs: Logs, clock: ManualClock
) -> None:
    assert logs.file.flush(10)
    (tmp_path / "secret").write_text("of somebody else")
    (tmp_path / YESTERDAY).symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "backend-logs-2025-12-31.log")

    collected = await LogEvidence(logs, clock).collect(HOME_OWNER, BACKEND, BUDGET)

    assert [caveat.code for caveat in collected.caveats] == [Code.BACKEND_FILE_NOT_REGULAR] * 2
    assert b"somebody" not in b"".join((await content(collected)).values())
    let_go(collected)


async def test_losses_and_redactions_of_the_log_are_told(logs: Logs, clock: ManualClock) -> None:
    logs.offer(Level.INFO, {"event": "x" * 300_000})
    logs.offer(Level.INFO, {"event": "ghp_0123456789abcdefghij0123456789"})

    collected = await LogEvidence(logs, clock).collect(HOME_OWNER, BACKEND, BUDGET)

    assert [(loss.level, loss.reason, loss.count) for loss in collected.losses] == [
        ("info", "entry_too_large", 1)
    ]
    assert collected.redactions == {"backend": 1}
    let_go(collected)
