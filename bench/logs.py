"""What it costs to log: our queue and its writer, beside structlog that writes where it is called.

CPU is that of the whole process, the writer's thread included. No entry is lost in any round: the
queue is emptied before it is full, as it is between bursts.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from threading import Event
from typing import Any, Final

import orjson
import structlog
from typing_extensions import override

from adapters.logs.daily import DailyFile
from adapters.logs.lines import json_line
from adapters.logs.logs import Logs, Thresholds
from adapters.logs.sink import Sink
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from bench.harness import Benchmark, Measure, Pair
from bench.stage import folder
from composition.logging import configure
from domain.log_queue import FILE_QUEUE, Level
from domain.redaction import Redacted, Redactor
from domain.secret import Secret
from ports.clock import Clock

__all__ = ("BENCHMARKS",)

BURST: Final = 4_000
"""Entries between two times that the queue is emptied: fewer than it takes."""

BURSTS: Final = 10
PACED: Final = 10
"""Calls between two pauses of a millisecond: ten thousand a second."""

FIELDS: Final = {
    "task": "task_01m8r1aye0xarag2wmrnafy8ey",
    "session": "ses_01m8r1aye0xarag2wmrnafy8ey",
    "attempt": 3,
    "seconds": 0.25,
}
Log = Callable[[], object]


class MovedClock(Clock):
    """The clock, and what a benchmark adds to it."""

    def __init__(self) -> None:
        self.added = timedelta()

    @override
    def now(self) -> datetime:
        return datetime.now(UTC) + self.added

    @override
    def monotonic(self) -> float:
        return time.monotonic()


class Gate:
    """A writer before another one, which stands still while it is shut."""

    def __init__(self, behind: DailyFile) -> None:
        self._behind = behind
        self.open = Event()
        self.open.set()

    def write(self, lines: Sequence[bytes]) -> int:
        self.open.wait()
        return self._behind.write(lines)

    def rest(self) -> None:
        self._behind.rest()

    def close(self) -> None:
        self._behind.close()


def unmasked(data: bytes) -> Redacted[bytes]:
    return Redacted(data, 0)


def redactor() -> Registry:
    """One that has something to look for."""
    registry = Registry(Redactor())
    for number in range(20):
        registry.register(Secret(f"a-secret-of-a-connection-{number:08}"))
    return registry


def plain(path: Path, *before: Any) -> tuple[Any, Callable[[], None]]:
    """Structlog with orjson, to a file; the processors before the last."""
    file = path.open("ab", buffering=0)
    stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
    logger = structlog.wrap_logger(
        structlog.BytesLogger(file),
        processors=[
            structlog.processors.add_log_level,
            stamp,
            structlog.processors.JSONRenderer(serializer=orjson.dumps),
            *before,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(20),
        cache_logger_on_first_use=True,
    )
    return logger, file.close


def cpu(log: Log, settle: Log) -> Measure:
    """CPU seconds of an entry."""

    def measure() -> float:
        begun = time.process_time()
        for _ in range(BURSTS):
            for _ in range(BURST):
                log()
            settle()
        return (time.process_time() - begun) / (BURST * BURSTS)

    return measure


def nothing() -> None:
    """What is written at once needs no emptying."""


@contextmanager
def _ring() -> Iterator[Pair]:
    with folder() as root:
        clock = SystemClock()
        sink = Sink("file", FILE_QUEUE, DailyFile(root / "logs", clock, print), unmasked)
        sink.start()
        reference, close = plain(root / "plain")

        level = Level.INFO

        def ours() -> None:
            now = clock.now()
            entry = {"timestamp": now, "level": level.word, "event": "started", **FIELDS}
            assert sink.offer(level, json_line(entry))

        yield Pair(
            cpu(ours, lambda: sink.flush(10)),
            cpu(lambda: reference.info("started", **FIELDS), nothing),
        )
        sink.close(time.monotonic() + 10)
        close()


@asynccontextmanager
async def _path_prepared(measured: Callable[[Log, Log], Measure]) -> Any:
    with folder() as root:
        async with AsyncExitStack() as stack:
            masks = redactor()
            logs = configure(root / "logs", MovedClock(), masks, Thresholds(), stack)
            ours = structlog.get_logger().bind()

            def masked(_: object, __: str, line: bytes) -> bytes:
                return masks.mask(line).text

            reference, close = plain(root / "plain", masked)
            stack.callback(close)
            yield Pair(
                measured(lambda: ours.info("started", **FIELDS), lambda: logs.file.flush(10)),
                measured(lambda: reference.info("started", **FIELDS), nothing),
            )
            assert not any(logs.file.state().lost.values())


def paced(log: Log, before: Callable[[int], None], settle: Log) -> Measure:
    """The 99th percentile of a call, ten thousand a second."""

    def measure() -> float:
        took: list[float] = []
        for number in range(BURST):
            before(number)
            begun = time.perf_counter()
            log()
            took.append(time.perf_counter() - begun)
            if number % PACED == PACED - 1:
                time.sleep(0.001)
        settle()
        return quantiles(took, n=100)[98]

    return measure


@contextmanager
def _producer() -> Iterator[Pair]:
    """The day ends in the middle, and after that the disk stands still until the end."""
    with folder() as root:
        clock, masks = MovedClock(), redactor()
        logs = Logs(root / "logs", clock, masks.mask, Thresholds())
        gate = Gate(DailyFile(root / "days", clock, print))
        logs.file = Sink("file", FILE_QUEUE, gate, masks.mask)
        logs.start()

        def happen(number: int) -> None:
            if number == BURST // 3:
                clock.added += timedelta(days=1)
            if number == 2 * BURST // 3:
                gate.open.clear()

        def settle() -> None:
            gate.open.set()
            logs.file.flush(10)

        def masked(_: object, __: str, line: bytes) -> bytes:
            return masks.mask(line).text

        reference, close = plain(root / "plain", masked)
        yield Pair(
            paced(lambda: logs.offer(Level.INFO, {"event": "started", **FIELDS}), happen, settle),
            paced(lambda: reference.info("started", **FIELDS), lambda _: None, nothing),
        )
        assert not any(logs.file.state().lost.values())
        logs.close()
        close()
        assert len(list((root / "days").iterdir())) > 1


BENCHMARKS: Final = (
    Benchmark("log.ring", 0.35, _ring, rounds=9),
    Benchmark("log.path", 0.8, lambda: _path_prepared(cpu), rounds=9),
    Benchmark("log.producer_p99", 0.4, _producer, rounds=9),
)
