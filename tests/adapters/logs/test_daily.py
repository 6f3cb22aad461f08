"""The log file of the day, on a real file system."""

import os
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.logs.crc_track import MARK_BYTES, CrcTrack
from adapters.logs.daily import DailyFile, key_of
from domain.log_retention import DAILY_BYTES
from domain.log_rollover import JOURNAL_NAME, FileIdentity, Journal
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

NOON = datetime(2026, 7, 29, 12, 0, tzinfo=UTC)
ACTIVE = "backend-logs.log"
MARKER = ".backend-logs-day"


def daily(folder: Path, clock: ManualClock, bound: int = DAILY_BYTES) -> DailyFile:
    said: list[str] = []
    return DailyFile(folder, clock, said.append, bound)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.log"))}


@requirement("sinks:day")
def test_a_day_ends_at_midnight_utc_and_a_restart_goes_on(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    for line in (b"one\n", b"two\n"):
        file = daily(tmp_path, clock)
        assert file.write([line]) == 1
        file.close()
    file = daily(tmp_path, clock)
    file.rest()
    clock.advance(timedelta(hours=12))
    assert file.write([b"three\n"]) == 1
    file.close()

    assert contents(tmp_path) == {"backend-logs-2026-07-29.log": "one\ntwo\n", ACTIVE: "three\n"}
    assert (tmp_path / MARKER).read_text() == "2026-07-30"


@requirement("sinks:day")
def test_the_day_of_a_file_that_was_left_is_what_its_marker_says(tmp_path: Path) -> None:
    (tmp_path / ACTIVE).write_text("old\n")
    (tmp_path / MARKER).write_text("2026-07-28")

    file = daily(tmp_path, ManualClock(NOON))
    file.write([b"new\n"])
    file.close()

    assert contents(tmp_path) == {"backend-logs-2026-07-28.log": "old\n", ACTIVE: "new\n"}


@requirement("sinks:day")
def test_a_day_that_has_a_file_is_appended_to(tmp_path: Path) -> None:
    (tmp_path / "backend-logs-2026-07-28.log").write_text("before\n")
    (tmp_path / ACTIVE).write_text("after\n")
    (tmp_path / MARKER).write_text("2026-07-28")

    file = daily(tmp_path, ManualClock(NOON))
    file.write([b"new\n"])
    file.close()

    assert contents(tmp_path) == {"backend-logs-2026-07-28.log": "before\nafter\n", ACTIVE: "new\n"}
    assert not (tmp_path / JOURNAL_NAME).exists()


@requirement("sinks:day")
@pytest.mark.parametrize("copied", range(7))
def test_a_rollover_that_a_crash_cut_short_is_finished(tmp_path: Path, copied: int) -> None:
    dated = tmp_path / "backend-logs-2026-07-28.log"
    dated.write_text("old\n" + "first\n"[:copied])
    (tmp_path / ACTIVE).write_text("first\n")
    found = (tmp_path / ACTIVE).stat()
    source = FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    journal = Journal(datetime(2026, 7, 28, tzinfo=UTC).date(), source, 0, 6, 4)
    (tmp_path / JOURNAL_NAME).write_text(journal.to_json())

    for _ in range(2):
        file = daily(tmp_path, ManualClock(NOON))
        file.rest()
        file.close()

    assert contents(tmp_path) == {dated.name: "old\nfirst\n", ACTIVE: ""}
    assert not (tmp_path / JOURNAL_NAME).exists()


@requirement("sinks:day")
@pytest.mark.parametrize(
    ("dated", "active", "marker", "inode", "kept"),
    [
        ("old\n", None, "2026-07-28", 0, {"backend-logs-2026-07-28.log": "old\n", ACTIVE: "new\n"}),
        (
            "ol",
            "first\n",
            "2026-07-29",
            0,
            {"backend-logs-2026-07-28.log": "ol", ACTIVE: "first\nnew\n"},
        ),
        (
            "old\n",
            "first\n",
            "2026-07-29",
            1,
            {"backend-logs-2026-07-28.log": "old\n", ACTIVE: "first\nnew\n"},
        ),
    ],
    ids=["renamed already", "a day that was cut", "a file of the next day"],
)
def test_a_journal_that_does_not_fit_touches_nothing(
    tmp_path: Path, dated: str, active: str | None, marker: str, inode: int, kept: dict[str, str]
) -> None:
    (tmp_path / "backend-logs-2026-07-28.log").write_text(dated)
    source = FileIdentity(1, 1, 6, 1)
    if active is not None:
        (tmp_path / ACTIVE).write_text(active)
        found = (tmp_path / ACTIVE).stat()
        source = FileIdentity(found.st_dev, found.st_ino + inode, found.st_size, found.st_mtime_ns)
    (tmp_path / MARKER).write_text(marker)
    journal = Journal(datetime(2026, 7, 28, tzinfo=UTC).date(), source, 0, 6, 4)
    (tmp_path / JOURNAL_NAME).write_text(journal.to_json())

    file = daily(tmp_path, ManualClock(NOON))
    assert file.write([b"new\n"]) == 1
    file.close()

    assert contents(tmp_path) == kept
    assert not (tmp_path / JOURNAL_NAME).exists()
    assert (tmp_path / f"{JOURNAL_NAME}.bad-1").exists() == (active is not None)


@requirement("sinks:day")
@pytest.mark.parametrize("journal", ["{", '{"day": "../../etc/passwd"}', ""])
def test_a_journal_that_cannot_be_read_is_put_aside(tmp_path: Path, journal: str) -> None:
    (tmp_path / JOURNAL_NAME).write_text(journal)

    file = daily(tmp_path, ManualClock(NOON))
    assert file.write([b"new\n"]) == 1
    file.close()

    assert (tmp_path / f"{JOURNAL_NAME}.bad-1").read_text() == journal
    assert contents(tmp_path) == {ACTIVE: "new\n"}


@requirement("sinks:day")
def test_a_clock_set_back_does_not_end_the_day(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    file = daily(tmp_path, clock)
    file.write([b"one\n"])
    clock.set_wall(NOON - timedelta(days=1))
    file.write([b"two\n"])
    clock.set_wall(NOON + timedelta(days=1))
    file.write([b"three\n"])
    file.close()

    assert contents(tmp_path) == {"backend-logs-2026-07-29.log": "one\ntwo\n", ACTIVE: "three\n"}


@requirement("sinks:day")
def test_a_day_that_cannot_end_goes_on_in_its_file_until_it_can(tmp_path: Path) -> None:
    clock, said = ManualClock(NOON), list[str]()
    file = DailyFile(tmp_path, clock, said.append, bound=20)
    file.write([b"before\n"])
    (tmp_path / "backend-logs-2026-07-29.log").mkdir()
    clock.advance(timedelta(days=1))
    taken = [file.write([line]) for line in (b"one\n", b"two\n", b"too long\n")]
    (tmp_path / "backend-logs-2026-07-29.log").rmdir()
    taken.append(file.write([b"three\n"]))
    file.close()

    assert taken == [1, 1, 0, 1]
    assert len(said) == 1
    assert contents(tmp_path) == {
        "backend-logs-2026-07-29.log": "before\none\ntwo\n",
        ACTIVE: "three\n",
    }


@requirement("sinks:whole")
def test_a_line_that_does_not_fit_into_the_day_waits_for_the_next(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    file = daily(tmp_path, clock, bound=10)
    taken = [file.write([b"12345\n", b"123\n"]), file.write([b"\n"])]
    clock.advance(timedelta(days=1))
    taken.append(file.write([b"next\n", b"0123456789\n"]))
    file.close()

    assert taken == [2, 0, 1]
    assert contents(tmp_path) == {"backend-logs-2026-07-29.log": "12345\n123\n", ACTIVE: "next\n"}


@requirement("sinks:whole")
def test_what_a_short_write_left_of_a_line_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = daily(tmp_path, ManualClock(NOON))
    file.rest()
    write = os.write
    monkeypatch.setattr(os, "write", lambda to, data: write(to, data[:7]))
    taken = file.write([b"one\n", b"two\n", b"three\n"])
    monkeypatch.undo()
    file.close()

    assert taken == 1
    assert contents(tmp_path) == {ACTIVE: "one\n"}


@requirement("sinks:whole")
def test_a_line_that_a_crash_tore_is_ended(tmp_path: Path) -> None:
    (tmp_path / ACTIVE).write_text("whole\nto")
    (tmp_path / MARKER).write_text("2026-07-29")

    file = daily(tmp_path, ManualClock(NOON))
    file.write([b"new\n"])
    file.close()

    assert contents(tmp_path) == {ACTIVE: "whole\nto\nnew\n"}


@requirement("sinks:private")
def test_the_folder_and_the_files_are_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir(mode=0o755)
    file = daily(folder, ManualClock(NOON))
    file.write([b"new\n"])
    file.close()

    modes = {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())}
    assert modes == {"logs": 0o700, ACTIVE: 0o600, MARKER: 0o600}


@requirement("sinks:private")
@pytest.mark.parametrize("name", [ACTIVE, MARKER, JOURNAL_NAME])
def test_a_link_is_not_followed(tmp_path: Path, name: str) -> None:
    (tmp_path / "target").write_text("precious")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / ACTIVE).write_text("")
    (tmp_path / "logs" / name).unlink(missing_ok=True)
    (tmp_path / "logs" / name).symlink_to(tmp_path / "target")

    said = list[str]()
    file = DailyFile(tmp_path / "logs", ManualClock(NOON), said.append)
    assert file.write([b"new\n"]) == 0
    file.close()

    assert len(said) == 1
    assert (tmp_path / "target").read_text() == "precious"


@requirement("sinks:unwritable")
def test_what_is_in_the_way_is_said_once_and_tried_again_after_thirty_seconds(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "logs"
    folder.write_text("a file")
    clock, said = ManualClock(NOON), list[str]()
    file = DailyFile(folder, clock, said.append)
    taken = [file.write([b"lost\n"]), file.write([b"lost\n"])]
    folder.unlink()
    taken.append(file.write([b"lost\n"]))
    clock.advance(timedelta(seconds=31))
    taken.append(file.write([b"new\n"]))
    file.close()

    assert taken == [0, 0, 0, 1]
    assert said == ["File exists"]
    assert contents(folder) == {ACTIVE: "new\n"}


def test_only_our_own_files_that_are_too_old_are_removed(tmp_path: Path) -> None:
    kept = ["backend-logs-2026-07-28.log", "backend-logs-2026-07-27.log", "other-2020-01-01.log"]
    for name in [*kept, "backend-logs-2026-07-26.log", "backend-logs-2019-01-01.log"]:
        (tmp_path / name).write_text("")

    file = daily(tmp_path, ManualClock(NOON))
    file.rest()
    file.close()

    assert sorted(contents(tmp_path)) == sorted([*kept, ACTIVE])


def test_what_was_written_is_known_by_file_across_a_rename(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    file = daily(tmp_path, clock)
    file.write([b"yesterday\n"])
    clock.advance(timedelta(days=1))
    file.write([b"today\n"])
    known = file.known
    file.close()

    dated = tmp_path / "backend-logs-2026-07-29.log"
    for path in (dated, tmp_path / ACTIVE):
        track = known[key_of(path.stat())]
        assert (track.size, track.crc32) == (path.stat().st_size, zlib.crc32(path.read_bytes()))


@pytest.mark.parametrize(
    "offset", [0, 1, MARK_BYTES - 1, MARK_BYTES, MARK_BYTES + 1, 2 * MARK_BYTES + 5]
)
def test_the_crc_of_an_end_is_that_of_its_bytes(tmp_path: Path, offset: int) -> None:
    data = bytes(number % 251 for number in range(2 * MARK_BYTES + 5))
    (tmp_path / "log").write_bytes(data)
    track = CrcTrack()
    for start in range(0, len(data), 700_001):
        track.feed(data[start : start + 700_001])

    with (tmp_path / "log").open("rb") as file:
        found = track.shown().tail_crc(file.fileno(), offset)

    assert found == zlib.crc32(data[offset:])
