"""Both sinks of a process together."""

import json
import os
import select
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from adapters.logs.lines import json_line, text_line
from adapters.logs.logs import Logs, Thresholds
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from domain.log_queue import Level, LossReason, Lost
from domain.log_retention import DAILY_BYTES
from domain.redaction import Redactor
from ports.clock import Clock
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

SECONDS = 10.0


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def logs_in(
    folder: Path, descriptor: int, thresholds: Thresholds | None = None, clock: Clock | None = None
) -> Logs:
    mask = Registry(Redactor()).mask
    logs = Logs(folder, clock or SystemClock(), mask, thresholds or Thresholds(), descriptor)
    logs.start()
    return logs


def events(folder: Path, name: str = "backend-logs.log") -> list[str]:
    lines = (folder / name).read_text().splitlines()
    return [json.loads(line)["event"] for line in lines]


@requirement("logs:rollover")
@requirement("sinks:shed")
def test_a_full_day_ends_without_a_loss_among_what_comes_meanwhile(
    tmp_path: Path, pipe: tuple[int, int]
) -> None:
    clock = ManualClock(datetime(2026, 7, 29, 23, 59, tzinfo=UTC))
    logs = logs_in(tmp_path, pipe[1], clock=clock)
    logs.offer(Level.INFO, {"event": "first"})
    assert logs.file.flush(SECONDS)
    os.truncate(tmp_path / "backend-logs.log", DAILY_BYTES)
    clock.advance(timedelta(minutes=2))

    for number in range(5_000):
        logs.offer(Level.INFO, {"event": str(number)})

    logs.close()
    dated = tmp_path / "backend-logs-2026-07-29.log"
    assert not any(logs.file.state().lost.values())
    assert events(tmp_path) == [str(number) for number in range(5_000)]
    assert dated.stat().st_size == DAILY_BYTES


@requirement("sinks:day")
@requirement("sinks:whole")
def test_many_threads_across_midnight_leave_whole_lines_in_two_files(
    tmp_path: Path, pipe: tuple[int, int]
) -> None:
    clock = ManualClock(datetime(2026, 7, 29, 23, 59, tzinfo=UTC))
    logs = logs_in(tmp_path, pipe[1], clock=clock)
    midnight = Barrier(9)

    def write() -> None:
        for number in range(500):
            if number == 250:
                assert logs.file.flush(SECONDS)
                midnight.wait(SECONDS)
                midnight.wait(SECONDS)
            logs.offer(Level.INFO, {"event": f"line {number}"})

    threads = [Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    midnight.wait(SECONDS)
    clock.advance(timedelta(minutes=2))
    midnight.wait(SECONDS)
    for thread in threads:
        thread.join(SECONDS)
    logs.close()

    expected = sorted(f"line {number}" for number in range(500) for _ in range(8))
    assert sorted(events(tmp_path) + events(tmp_path, "backend-logs-2026-07-29.log")) == expected
    assert len(events(tmp_path)) == 8 * 250


@requirement("sinks:levels")
def test_the_file_takes_info_and_the_console_warnings(
    tmp_path: Path, pipe: tuple[int, int]
) -> None:
    logs = logs_in(tmp_path, pipe[1])
    for level in Level:
        logs.offer(level, {"event": level.word})
    logs.close()

    assert events(tmp_path) == ["info", "warn", "error", "fatal"]
    shown = os.read(pipe[0], 65536).decode().splitlines()
    assert [line.split()[1] for line in shown] == ["warn", "error", "fatal"]


@requirement("sinks:independent")
def test_a_console_that_stands_still_costs_the_file_nothing(
    tmp_path: Path, pipe: tuple[int, int]
) -> None:
    logs = logs_in(tmp_path, pipe[1], Thresholds(console=Level.INFO))
    for number in range(1000):
        logs.offer(Level.WARN, {"event": str(number), "filling": "x" * 200})
    assert logs.file.flush(SECONDS)
    console = logs.console.state()
    drain(pipe[0], logs)
    logs.close()

    assert events(tmp_path) == [str(number) for number in range(1000)]
    assert sum(logs.file.state().lost.values()) == 0
    assert console.queue_entries > 0


@requirement("sinks:unwritable")
def test_a_folder_that_is_none_loses_the_file_and_not_the_console(
    tmp_path: Path, pipe: tuple[int, int]
) -> None:
    (tmp_path / "logs").write_text("a file")
    logs = logs_in(tmp_path / "logs", pipe[1])
    logs.offer(Level.WARN, {"event": "still here"})
    assert logs.file.flush(SECONDS)
    logs.close()

    shown = os.read(pipe[0], 65536).decode()
    assert "still here" in shown
    assert "log_file_not_written" in shown
    assert logs.file.state().lost[Lost(Level.WARN, LossReason.WRITE_ERROR)] == 1


def test_a_line_of_words_cannot_steer_a_terminal() -> None:
    line = text_line({
        "timestamp": "t",
        "level": "warn",
        "event": "a\x1b[2J\x9bb",
        "said": "\x1b\n",
    })

    assert line == b't warn a [2J b said="\\u001b\\n"\n'


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Path("/a"), "/a"),
        (ValueError("no"), "no"),
        ("\udc80", "\udc80"),
        ({"a": [1, None]}, {"a": [1, None]}),
        (b"\xff", "/w=="),
    ],
)
def test_whatever_is_logged_becomes_one_line_of_json(value: object, shown: object) -> None:
    line = json_line({"event": "x\ny", "value": value})

    assert line.count(b"\n") == 1
    assert json.loads(line) == {"event": "x\ny", "value": shown}


def drain(descriptor: int, logs: Logs) -> None:
    """Read what the console has to say until it has said all."""
    while not logs.console.flush(0.01):
        if select.select([descriptor], [], [], 0)[0]:
            os.read(descriptor, 1 << 20)
