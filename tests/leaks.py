"""A pytest plugin: a test fails when it leaves an asyncio task, a process, a thread, a socket or
another descriptor behind.

What is there after a test's teardown is compared with what was there before its setup. What a
fixture of a wider scope opened is that fixture's, until it is torn down itself. What is on its way
out is given a moment; a process that stays is killed, so that it is only one test's.
"""

import asyncio
import os
import signal
import socket
import stat
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import uvloop

from tests.own_processes import MARK, OwnProcesses, Process
from tests.own_processes import described as described_process

__all__ = ("GRACE_SECONDS", "Guard")

GRACE_SECONDS: Final = 3.0
"""How long what was told to end may take; nothing waits unless something is left."""

DESCRIPTORS: Final = Path("/proc/self/fd")

ANYIO_RUNNER: Final = "TestRunner._run_tests_and_fixtures"
"""The task in which the anyio plugin runs tests and fixtures; it ends with its loop."""


class Descriptor(NamedTuple):
    number: int
    device: int
    inode: int


class Held(NamedTuple):
    descriptors: frozenset[Descriptor]
    threads: frozenset[threading.Thread]
    processes: frozenset[Process]

    def beyond(self, other: "Held") -> "Held":
        return Held(
            self.descriptors - other.descriptors,
            self.threads - other.threads,
            self.processes - other.processes,
        )

    def with_all(self, other: "Held") -> "Held":
        return Held(
            self.descriptors | other.descriptors,
            self.threads | other.threads,
            self.processes | other.processes,
        )

    def described(self) -> list[str]:
        return [
            *(described_process(process) for process in sorted(self.processes)),
            *(f"thread {thread.name}" for thread in self.threads),
            *(_described(descriptor) for descriptor in sorted(self.descriptors)),
        ]


class Guard:
    """Holds every test of this process to what was there before it."""

    def __init__(self, grace: float) -> None:
        self._grace = grace
        self._own = OwnProcesses()
        self._before = self._held()
        self._wider: dict[object, Held] = {}
        self._tasks: list[str] = []
        self._patch = pytest.MonkeyPatch()

    def begin(self) -> None:
        """Mark what is started from now on, and note the tasks that a closing loop cancels."""
        unwatched = asyncio.Runner.close

        def close(runner: asyncio.Runner) -> None:
            loop = vars(runner).get("_loop")
            if loop is not None:
                self._tasks.extend(_tasks_left(loop, self._grace))
            unwatched(runner)

        self._patch.setattr(asyncio.Runner, "close", close)
        self._patch.setenv(MARK, self._own.mark)

    def end(self) -> None:
        self._patch.undo()

    def work_in(self, directory: Path) -> None:
        self._own.work_in(directory)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        self._tasks.clear()
        self._before = self._held()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        if fixturedef.scope == "function":
            return (yield)
        before = self._held()
        try:
            return (yield)
        finally:
            self._wider[fixturedef] = self._held().beyond(before)

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        self._wider.pop(fixturedef, None)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, Any]:
        outcome = yield
        left = self._left()
        deadline = time.monotonic() + self._grace
        while any(left) and time.monotonic() < deadline:
            time.sleep(0.01)
            left = self._left()
        found = [*self._tasks, *left.described()]
        self._kill(left.processes)
        if found:
            pytest.fail("left behind: " + "; ".join(found), pytrace=False)
        return outcome

    def _left(self) -> Held:
        allowed = self._before
        for held in self._wider.values():
            allowed = allowed.with_all(held)
        return self._held().beyond(allowed)

    def _held(self) -> Held:
        return Held(_descriptors(), frozenset(threading.enumerate()), self._own.living())

    def _kill(self, processes: frozenset[Process]) -> None:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def _tasks_left(loop: asyncio.AbstractEventLoop, grace: float) -> list[str]:
    """Those that nobody cancelled, and those that go on all the same."""
    ending = [task for task in asyncio.all_tasks(loop) if task.cancelling()]
    if ending:
        loop.run_until_complete(asyncio.wait(ending, timeout=grace))
    return [
        f"task {task.get_name()}: {task.get_coro()!r}"
        for task in asyncio.all_tasks(loop)
        if getattr(task.get_coro(), "__qualname__", "") != ANYIO_RUNNER
    ]


def _descriptors() -> frozenset[Descriptor]:
    found = set()
    for entry in DESCRIPTORS.iterdir():
        with suppress(OSError):  # the listing's own descriptor is closed by now
            status = os.fstat(int(entry.name))
            found.add(Descriptor(int(entry.name), status.st_dev, status.st_ino))
    return frozenset(found)


def _described(descriptor: Descriptor) -> str:
    number = descriptor.number
    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return f"descriptor {number}: {(DESCRIPTORS / str(number)).readlink()}"
        with socket.socket(fileno=os.dup(number)) as opened:
            return f"socket {number}: {opened.family.name} at {opened.getsockname()!r}"
    except OSError as problem:
        return f"descriptor {number}: {problem}"


GUARD: Final = pytest.StashKey[Guard]()


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "seconds that what a test told to end may take"
    parser.addoption("--leak-grace", type=float, default=GRACE_SECONDS, help=told)


def pytest_configure(config: pytest.Config) -> None:
    # libuv opens a pipe with its first loop, and keeps it for the life of the process.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.get_loop()
    guard = Guard(config.getoption("--leak-grace"))
    guard.begin()
    config.stash[GUARD] = guard
    config.pluginmanager.register(guard, "left-behind")


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[GUARD].end()


@pytest.fixture(scope="session", autouse=True)
def _place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tell the guard where this run's tests do their work."""
    request.config.stash[GUARD].work_in(tmp_path_factory.getbasetemp())
