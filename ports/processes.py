"""Starting programs: each in a session and process group of its own, and ended whole.

A child is named by pid *and* start time, so that a reused pid is never mistaken for it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from domain.outcome import Result
from domain.terminal import TerminalSize

__all__ = (
    "Child",
    "Exit",
    "Leftovers",
    "Processes",
    "SpawnCode",
    "SpawnFailed",
    "Terminal",
    "Terminals",
)


class SpawnCode(StrEnum):
    NOT_FOUND = "not_found"
    NOT_EXECUTABLE = "not_executable"
    NO_DIRECTORY = "no_directory"
    TOO_BIG = "too_big"
    NO_RESOURCES = "no_resources"


@dataclass(frozen=True, slots=True)
class SpawnFailed:
    """The program could not be started; `program` is the word that was tried."""

    code: SpawnCode
    program: str


@dataclass(frozen=True, slots=True)
class Exit:
    """Either an exit status or the number of the signal that ended the process."""

    status: int | None
    signal: int | None


class Child(Protocol):
    """A running program. Its owner awaits `stop()` or `wait()`; neither leaves a zombie."""

    @property
    def pid(self) -> int: ...
    @property
    def started(self) -> int:
        """Start time in clock ticks since boot (proc(5), field 22)."""
        ...

    async def write(self, data: bytes) -> None:
        """Write to its stdin; waits while the pipe is full. `BrokenPipeError` once it is closed."""
        ...

    def close_stdin(self) -> None: ...

    def pause_stdout(self) -> None:
        """Read no more of its stdout until `resume_stdout`: the program waits on a full pipe."""
        ...

    def resume_stdout(self) -> None: ...

    async def wait(self) -> Exit:
        """Until the program ended and both its outputs were read to their ends or given up.

        An output that a descendant keeps open is given up one second after the exit.
        """
        ...

    async def stop(self, *, polite: float, terminate: float, kill: float) -> Exit:
        """End it and every descendant: close stdin and wait, TERM the group and wait, KILL.

        Each bound is in seconds; descendants that left the group are found and ended too. What its
        outputs still hold is delivered, also while paused.
        """
        ...


class Processes(Protocol):
    async def start(
        self,
        command: Sequence[str],
        *,
        directory: str,
        environment: Mapping[str, str],
        on_stdout: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None],
    ) -> Result[Child, SpawnFailed]:
        """Start `command` (its first word an absolute path) with exactly `environment`.

        The callbacks run on the caller's loop, in order, with at most 256 KiB at a time; an empty
        `bytes` says that the output has ended. Independent of the parent's memory: no fork of it.
        """
        ...


class Terminal(Protocol):
    """A program on a terminal of its own. Its owner awaits `stop()`, which leaves no zombie."""

    @property
    def pid(self) -> int: ...
    @property
    def started(self) -> int:
        """Start time in clock ticks since boot (proc(5), field 22)."""
        ...

    async def write(self, data: bytes) -> None:
        """Type; waits while nobody reads it. `BrokenPipeError` once the terminal has ended."""
        ...

    def resize(self, size: TerminalSize) -> None:
        """Tell the program of another size. Nothing once the terminal has ended."""
        ...

    async def wait(self) -> Exit:
        """Until the program ended and its output was read to its end or given up.

        A terminal that a descendant keeps open is given up one second after the exit.
        """
        ...

    async def stop(self, *, polite: float, terminate: float, kill: float) -> Exit:
        """End it and every descendant: hang up and wait, TERM and wait, KILL. Bounds in seconds."""
        ...


class Terminals(Protocol):
    async def start(
        self,
        command: Sequence[str],
        *,
        directory: str,
        environment: Mapping[str, str],
        size: TerminalSize,
        on_output: Callable[[bytes], None],
    ) -> Result[Terminal, SpawnFailed]:
        """Start `command` (its first word an absolute path) with exactly `environment`.

        It leads a session of its own and the terminal is its controlling one. The callback runs on
        the caller's loop, in order; an empty `bytes` says that the output has ended.
        """
        ...


class Leftovers(Protocol):
    async def end(
        self,
        mark: str,
        known: Sequence[tuple[int, int]],
        *,
        since: int,
        terminate: float,
        kill: float,
    ) -> None:
        """End what an owner that was killed left running: TERM and wait, KILL and wait.

        That is the `known`, by pid and start time, with their descendants, and every orphan that
        carries `mark` and was started at `since` or later. Bounds are in seconds, times in clock
        ticks since boot. A process that has ended meanwhile is passed over.
        """
        ...
