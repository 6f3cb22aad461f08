"""Background commands of one instance: run by the POSIX shell, ended with the instance.

A command is over when its shell has ended, and so is then whatever it left running.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from adapters.agentctl.server.happening import Happening
from adapters.agentctl.server.served_terminals import TerminalOutput
from domain.background import (
    MAX_KEPT,
    MAX_RUNNING,
    OUTPUT_BYTES,
    READ_BYTES,
    Background,
    BackgroundOutput,
    BackgroundState,
)
from domain.outcome import Failure, Result, Success, failed
from domain.output_ring import OutputRing
from domain.redaction import Redactor
from domain.redaction_stream import ByteStream
from ports.clock import Clock
from ports.processes import Child, Exit, Processes, SpawnFailed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("SHELL", "Backgrounds", "Ending", "Program", "unstartable")

SHELL: Final = "/bin/sh"


@dataclass(frozen=True, slots=True)
class Ending:
    """Seconds from TERM to KILL, and from KILL until a process is given up."""

    terminate: float
    kill: float


class Program(NamedTuple):
    """Its words, what is told of them, and how many bytes of its output are kept."""

    words: Sequence[str]
    command: str
    directory: str
    environment: Mapping[str, str]
    kept: int = OUTPUT_BYTES


class Backgrounds:
    """`processes` end what they started and nothing else; `noted` hears of each start."""

    def __init__(
        self,
        processes: Processes,
        redactor: Redactor,
        clock: Clock,
        ending: Ending,
        noted: Callable[[int, int], None],
    ) -> None:
        self._processes = processes
        self._redactor = redactor
        self._clock = clock
        self._ending = ending
        self._noted = noted
        self._all: dict[str, _Command] = {}
        self._count = 0
        self._gate = asyncio.Lock()
        self._closed = False

    @property
    def identities(self) -> list[tuple[int, int]]:
        """Pid and start time of those that run."""
        return [each.identity for each in self._all.values() if not each.over]

    async def start(
        self, group: asyncio.TaskGroup, program: Program
    ) -> Result[Background, RuntimeProblem]:
        """Start one; `group` is the instance's, whose tasks end before it does."""
        async with self._gate:
            return await self._start(group, program)

    async def _start(
        self, group: asyncio.TaskGroup, program: Program
    ) -> Result[Background, RuntimeProblem]:
        if self._closed:
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent has ended"))
        if len(self.identities) >= MAX_RUNNING:
            detail = f"{MAX_RUNNING} commands run already"
            return Failure(RuntimeProblem(RuntimeCode.LIMITED, detail))
        self._count += 1
        made = _Command(f"p{self._count}", program, self._clock, ByteStream(self._redactor))
        started = await self._processes.start(
            program.words,
            directory=program.directory,
            environment=program.environment,
            on_stdout=made.feed,
            on_stderr=made.feed,
        )
        if failed(started):
            return Failure(unstartable(started.failure(), program.directory))
        made.child = started.unwrap()
        made.child.close_stdin()
        group.create_task(made.live(self._ending))
        self._all[made.id] = made
        self._make_room()
        self._noted(*made.identity)
        return Success(made.shown())

    def all(self) -> Sequence[Background]:
        """In the order they were started."""
        return [each.shown() for each in self._all.values()]

    def output(self, name: str, after: int) -> Result[BackgroundOutput, RuntimeProblem]:
        found = self._all.get(name)
        return Failure(_absent()) if found is None else Success(found.output(after))

    async def stop(self, name: str) -> Result[Background, RuntimeProblem]:
        """End it with all its descendants. Idempotent."""
        found = self._all.get(name)
        if found is None:
            return Failure(_absent())
        await found.stop()
        return Success(found.shown())

    def whole(self, name: str) -> Result[TerminalOutput, RuntimeProblem]:
        """Everything that is kept of an output."""
        found = self._all.get(name)
        return Failure(_absent()) if found is None else Success(found.whole())

    async def wait(self, name: str) -> Result[Exit, RuntimeProblem]:
        """How it ended, once it has."""
        found = self._all.get(name)
        return Failure(_absent()) if found is None else Success(await found.wait())

    def forget(self, name: str) -> None:
        """One that has ended is told of no more. Idempotent."""
        if name in self._all and self._all[name].over:
            del self._all[name]

    async def close(self) -> None:
        """End all of them, at once, and start no more. Idempotent."""
        async with self._gate:
            self._closed = True
        async with asyncio.TaskGroup() as group:
            for each in self._all.values():
                group.create_task(each.stop())

    def _make_room(self) -> None:
        """There are always fewer that run than are kept."""
        if len(self._all) > MAX_KEPT:
            del self._all[next(name for name, each in self._all.items() if each.over)]


class _Command:
    def __init__(self, name: str, program: Program, clock: Clock, stream: ByteStream) -> None:
        self.id = name
        self.child: Child | None = None
        self._command = program.command
        self._directory = program.directory
        self._clock = clock
        self._stream = stream
        self._ring = OutputRing(program.kept)
        self._started_at = clock.now()
        self._ended_at: datetime | None = None
        self._exit: Exit | None = None
        self._stop_asked = Happening()
        self._over = Happening()

    @property
    def over(self) -> bool:
        return bool(self._over)

    @property
    def identity(self) -> tuple[int, int]:
        assert self.child is not None, "it was started"
        return self.child.pid, self.child.started

    def feed(self, data: bytes) -> None:
        self._ring.add(self._stream.feed(data))

    async def live(self, bounds: Ending) -> None:
        """Until it has ended, and everything that it started."""
        assert self.child is not None, "it was started"
        ending = asyncio.ensure_future(self.child.wait())
        first: set[asyncio.Future[Any]] = {ending, self._stop_asked.future}  # of two kinds
        try:
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            self._exit = await self.child.stop(
                polite=0, terminate=bounds.terminate, kill=bounds.kill
            )
            self._ring.add(self._stream.close())
            self._ended_at = self._clock.now()
            self._over.happen()

    async def stop(self) -> None:
        self._stop_asked.happen()
        await self._over.wait()

    def output(self, after: int) -> BackgroundOutput:
        piece = self._ring.read(after, READ_BYTES, whole=self.over)
        text = piece.data.decode("utf-8", "replace")
        ended = self.over and piece.end == self._ring.end
        return BackgroundOutput(piece.begin, piece.end, text, ended)

    async def wait(self) -> Exit:
        await self._over.wait()
        return self._exit or Exit(None, None)

    def whole(self) -> TerminalOutput:
        piece = self._ring.read(0, OUTPUT_BYTES, whole=self.over)
        ended = self._exit or Exit(None, None)
        text = piece.data.decode("utf-8", "replace")
        return TerminalOutput(text, piece.begin > 0, ended if self.over else None)

    def shown(self) -> Background:
        ended = self._exit if self.over else None
        return Background(
            id=self.id,
            command=self._command,
            directory=self._directory,
            state=self._state(),
            exit=None if ended is None else ended.status,
            signal=None if ended is None else ended.signal,
            output=self._ring.end,
            started_at=self._started_at,
            ended_at=self._ended_at,
        )

    def _state(self) -> BackgroundState:
        if not self.over:
            return BackgroundState.RUNNING
        if self._stop_asked:
            return BackgroundState.STOPPED
        clean = self._exit is not None and self._exit.status == 0
        return BackgroundState.EXITED if clean else BackgroundState.FAILED


def unstartable(failure: SpawnFailed, directory: str) -> RuntimeProblem:
    """Why a program beside an agent did not start."""
    detail = f"it cannot be started in {directory}: {failure.code.value.replace('_', ' ')}"
    return RuntimeProblem(RuntimeCode.INVALID, detail)


def _absent() -> RuntimeProblem:
    return RuntimeProblem(RuntimeCode.NO_PROCESS, "there is no such process")
