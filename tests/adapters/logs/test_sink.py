"""A bounded queue with a writer's thread of its own."""

import base64
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread

import msgspec

from adapters.logs.sink import Sink
from adapters.redactor.registry import Registry
from domain.log_queue import FILE_QUEUE, Bounds, Level, LossReason, Lost
from domain.redaction import Redactor
from domain.secret import Secret
from tests.requirements import requirement

SECONDS = 10.0
SMALL = Bounds(entries=3, bytes=30, reserved_entries=1, reserved_bytes=10, entry_bytes=20)


class Paper:
    """A writer that stands still until it is let go, and refuses what it is told to."""

    def __init__(self, *, still: bool = False, refused: bytes | None = None) -> None:
        self.lines: list[bytes] = []
        self.reached = Event()
        self.go = Event()
        self.refused = refused
        if not still:
            self.go.set()

    def write(self, lines: Sequence[bytes]) -> int:
        self.reached.set()
        assert self.go.wait(SECONDS)
        for count, line in enumerate(lines):
            if self.refused is not None and self.refused in line:
                return count
            self.lines.append(line)
        return len(lines)

    def rest(self) -> None:
        pass

    def close(self) -> None:
        pass


@contextmanager
def sink_on(
    paper: Paper, bounds: Bounds = FILE_QUEUE, registry: Registry | None = None
) -> Iterator[Sink]:
    sink = Sink("file", bounds, paper, (registry or Registry(Redactor())).mask)
    sink.start()
    try:
        yield sink
    finally:
        paper.go.set()
        assert sink.close(time.monotonic() + SECONDS) is not None


def losses(sink: Sink) -> dict[tuple[str, str], int]:
    return {
        (lost.level.word, lost.reason.value): count
        for lost, count in sink.state().lost.items()
        if count
    }


@requirement("sinks:independent")
def test_who_logs_does_not_wait_for_a_writer_that_stands_still() -> None:
    paper = Paper(still=True)
    with sink_on(paper, SMALL) as sink:
        began = time.monotonic()
        taken = [sink.offer(Level.DEBUG, b"first"), sink.offer(Level.INFO, b"second")]
        taken += [sink.offer(Level.INFO, b"third"), sink.offer(Level.WARN, b"warning")]
        taken += [sink.offer(Level.ERROR, b"overflow")]
        took = time.monotonic() - began
        state = sink.state()

    assert taken == [True, True, False, True, False]
    assert losses(sink) == {("info", "reserved_capacity"): 1, ("error", "capacity"): 1}
    assert (state.queue_entries, state.queue_bytes) == (3, 18)
    assert took < 1.0


@requirement("sinks:counted")
def test_what_cannot_be_written_is_counted_and_the_next_is_tried() -> None:
    paper = Paper(still=True, refused=b"bad")
    with sink_on(paper) as sink:
        for line in (b"one\n", b"bad\n", b"two\n"):
            sink.offer(Level.INFO, line)
        paper.go.set()
        assert sink.flush(SECONDS)
        state = sink.state()

    assert paper.lines[:2] == [b"one\n", b"two\n"]
    assert state.lost[Lost(Level.INFO, LossReason.WRITE_ERROR)] == 1
    assert (state.queue_entries, state.accepted[Level.INFO]) == (0, 3)


@requirement("sinks:told")
def test_one_line_says_what_is_missing_when_a_loss_is_over() -> None:
    paper = Paper(still=True)
    with sink_on(paper, SMALL) as sink:
        for _ in range(9):
            sink.offer(Level.INFO, b"x\n")
        paper.go.set()
        assert sink.flush(SECONDS)
        sink.offer(Level.INFO, b"after\n")

    told = [msgspec.json.decode(line) for line in paper.lines if line.startswith(b"{")]
    assert told == [{"level": "warn", "event": "log_entries_lost", "sink": "file", "count": 7}]
    assert losses(sink) == {("info", "reserved_capacity"): 7}


@requirement("sinks:drain")
def test_what_is_not_written_when_time_is_up_is_counted_once() -> None:
    paper = Paper(still=True)
    with sink_on(paper) as sink:
        sink.offer(Level.WARN, b"under way\n")
        assert paper.reached.wait(SECONDS)
        for _ in range(3):
            sink.offer(Level.WARN, b"queued\n")
        began = time.monotonic()
        drained = [sink.close(time.monotonic() + 0.02), sink.close(time.monotonic() + 0.02)]
        took = time.monotonic() - began
        refused = sink.offer(Level.ERROR, b"late\n")

    assert drained == [False, False]
    assert took < 1.0
    assert refused is False
    assert losses(sink) == {("warn", "shutdown_timeout"): 4, ("error", "shutdown_timeout"): 1}


@requirement("sinks:drain")
def test_what_was_taken_is_written_before_the_end() -> None:
    paper = Paper()
    with sink_on(paper) as sink:
        for number in range(2000):
            sink.offer(Level.INFO, b"%d\n" % number)

    assert paper.lines == [b"%d\n" % number for number in range(2000)]


def test_lines_of_many_threads_are_all_there() -> None:
    paper = Paper()
    with sink_on(paper) as sink:
        threads = [
            Thread(target=lambda: [sink.offer(Level.WARN, b"line\n") for _ in range(200)])
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)

    assert paper.lines == [b"line\n"] * 1600


@requirement("sinks:redacted")
def test_no_secret_reaches_the_writer_in_any_form() -> None:
    registry, paper = Registry(Redactor()), Paper()
    registry.register(Secret("correct horse battery"))
    leaks = [
        {"event": "raw", "said": "correct horse battery"},
        {"event": "basic", "said": base64.b64encode(b"me:correct horse battery").decode()},
        {"event": "url", "said": "correct%20horse%20battery"},
        {"event": "shape", "said": "ghp_0123456789abcdefghij0123456789"},
        {"event": "number", "token": 123456},
        {"event": "plain", "said": "nothing"},
    ]
    with sink_on(paper, registry=registry) as sink:
        for leak in leaks:
            sink.offer(Level.INFO, msgspec.json.encode(leak) + b"\n")

    text = b"".join(paper.lines).decode()
    assert [msgspec.json.decode(line) for line in paper.lines][-1] == leaks[-1]
    for fragment in ("horse", "Y29ycmVjdC", "ghp_0123", "123456"):
        assert fragment not in text
    assert sink.state().masked == 5
