"""Events of sessions: how fast they are stored and acknowledged, and the memory of a replay."""

import asyncio
import itertools
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from adapters.http.events import BATCH, encode
from adapters.sqlite.store import SqliteStore, open_store
from adapters.system.clock import SystemClock
from bench.harness import Benchmark, Better, Measure, Pair, constant
from domain.credential_policy import Mode
from domain.event import EventKind, ExecutionEvent
from domain.execution import Execution, ExecutionState, ExecutorType
from domain.identity import ExecutionId, SessionId, TaskId, WorkspaceId
from domain.principal import HOME_OWNER
from domain.session import Session, SessionState
from domain.task import Task, TaskState
from domain.workspace import Workspace

__all__ = ("BENCHMARKS",)

TOGETHER: Final = 500
"""Events that are read from an agentctl, and stored, at once at most."""
APPENDED: Final = 1_000
HISTORY: Final = 50_000
SHORT: Final = 2_000
PACED_SECONDS: Final = 2.0
TICK_SECONDS: Final = 0.01
A_TICK: Final = 100
"""100 events each hundredth of a second: 10,000 a second."""

NOW: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Log:
    """A session in a store, and the numbers of its events."""

    def __init__(self, store: SqliteStore, name: str) -> None:
        self.store = store
        self.session = SessionId(name)
        self.execution = ExecutionId(name)
        self._numbers = itertools.count(1)

    async def begin(self) -> None:
        workspace, task = WorkspaceId(self.session), TaskId(self.session)
        async with self.store.write() as unit:
            await unit.put_workspace(Workspace(workspace, HOME_OWNER, "bench", Mode.EXECUTOR, NOW))
            await unit.put_task(Task(task, workspace, "t", "p", TaskState.OPEN, (), NOW))
            state = SessionState.RUNNING
            session = Session(self.session, task, "a", state, self.execution, None, None, {}, NOW)
            await unit.add_session(session)
            live = ExecutionState.LIVE
            await unit.put_execution(
                Execution(self.execution, task, self.session, ExecutorType.WORKTREE, live, 0, NOW)
            )

    async def append(self, number: int) -> None:
        """Store so many in one unit."""
        events = [
            ExecutionEvent(next(self._numbers), NOW, EventKind.MESSAGE_CHUNK, 1, {"text": "x" * 80})
            for _ in range(number)
        ]
        async with self.store.write() as unit:
            await unit.append_events(self.session, self.execution, events)


@asynccontextmanager
async def logs(*names: str) -> AsyncIterator[Sequence[Log]]:
    """On the disk of temporary files, where a commit costs what it costs."""
    with tempfile.TemporaryDirectory(prefix="kandev-bench-", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        async with open_store(
            root / "kandev.db", backups=root / "backups", version="0", clock=SystemClock()
        ) as store:
            made = [Log(store, name) for name in names]
            for each in made:
                await each.begin()
            yield made


def appending(log: Log, together: int) -> Measure:
    async def measure() -> float:
        begun = time.perf_counter()
        for _ in range(APPENDED // together):
            await log.append(together)
        return APPENDED / (time.perf_counter() - begun)

    return measure


@asynccontextmanager
async def _append() -> AsyncIterator[Pair]:
    async with logs("grouped", "single") as (grouped, single):
        yield Pair(appending(grouped, TOGETHER), appending(single, 1))


@asynccontextmanager
async def _acknowledged() -> AsyncIterator[Pair]:
    """The 99th percentile of the time from an event to its commit, at 10,000 events a second."""
    async with logs("paced") as (log,):

        async def measure() -> float:
            loop = asyncio.get_running_loop()
            late: list[float] = []
            begun = loop.time()
            for tick in range(round(PACED_SECONDS / TICK_SECONDS)):
                due = begun + tick * TICK_SECONDS
                await asyncio.sleep(max(0.0, due - loop.time()))
                await log.append(A_TICK)
                late.append(loop.time() - due)
            return sorted(late)[round(len(late) * 0.99) - 1] * 1000

        yield Pair(measure, constant(50.0))


def replaying(log: Log, until: int) -> Measure:
    """The most that is held while everything up to an event is read and encoded for a client."""

    async def measure() -> float:
        tracemalloc.start()
        after = 0
        while after < until:
            async with log.store.read() as state:
                events = await state.events(log.session, after, BATCH)
            encode(events)
            after = events[-1].sequence
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak / 1024

    return measure


@asynccontextmanager
async def _replay() -> AsyncIterator[Pair]:
    async with logs("history") as (log,):
        for _ in range(HISTORY // TOGETHER):
            await log.append(TOGETHER)
        yield Pair(replaying(log, HISTORY), replaying(log, SHORT))


BENCHMARKS: Final = (
    Benchmark("events.append", 1 / 6, _append, "1/s", rounds=10, better=Better.HIGHER),
    Benchmark("events.acknowledged", 1.0, _acknowledged, "ms", rounds=3),
    Benchmark("events.replay", 1.1, _replay, "KiB", rounds=3),
)
