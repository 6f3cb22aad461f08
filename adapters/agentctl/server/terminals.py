"""Terminals of one instance: opened, looked at by several, ended with the instance.

What a terminal has written is kept up to a bound, and is the first thing that whoever attaches is
given. Everybody who looks sees the same, types into the same, and one who cannot keep up loses
what is gone by then, and is told how much.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from adapters.agentctl.server.backgrounds import Ending, unstartable
from adapters.agentctl.server.happening import Happening
from domain.outcome import Failure, Result, Success, failed
from domain.output_ring import OutputRing
from domain.redaction import Redactor
from domain.redaction_stream import ByteStream
from domain.terminal import (
    HISTORY_BYTES,
    MAX_TERMINALS,
    MAX_VIEWERS,
    SessionTerminal,
    TerminalSize,
)
from ports.clock import Clock
from ports.processes import Exit, Terminal, Terminals
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Lost", "OpenTerminal", "OpenTerminals", "Shown")

POLITE_SECONDS: Final = 1.0
"""From the hang-up to TERM."""

IDLE_SECONDS: Final = 0.02
"""What is not a secret by then is shown, though more of the line may come."""

PIECE_BYTES: Final = 64 * 1024
"""What a viewer is given at once."""


class Lost(NamedTuple):
    """So many bytes were gone before the viewer could be given them."""

    size: int


Shown: TypeAlias = bytes | Lost | Exit


class OpenTerminals:
    """`noted` hears of each program, by pid and start."""

    def __init__(
        self,
        terminals: Terminals,
        redactor: Redactor,
        clock: Clock,
        ending: Ending,
        noted: Callable[[int, int], None],
    ) -> None:
        self._terminals = terminals
        self._redactor = redactor
        self._clock = clock
        self._ending = ending
        self._noted = noted
        self._open: dict[str, OpenTerminal] = {}
        self._count = 0
        self._gate = asyncio.Lock()
        self._closed = False

    @property
    def identities(self) -> list[tuple[int, int]]:
        """Pid and start time of those that are open."""
        return [each.identity for each in self._open.values()]

    async def open(
        self,
        group: asyncio.TaskGroup,
        program: str,
        directory: str,
        environment: Mapping[str, str],
        size: TerminalSize,
    ) -> Result[SessionTerminal, RuntimeProblem]:
        """Start a program on a new one; `group` is the instance's, whose tasks end before it."""
        async with self._gate:
            if self._closed:
                return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent has ended"))
            if len(self._open) >= MAX_TERMINALS:
                detail = f"{MAX_TERMINALS} terminals are open already"
                return Failure(RuntimeProblem(RuntimeCode.LIMITED, detail))
            self._count += 1
            made = OpenTerminal(f"t{self._count}", program, size, self._redactor, self._clock)
            started = await self._terminals.start(
                [program],
                directory=directory,
                environment=environment,
                size=size,
                on_output=made.feed,
            )
            if failed(started):
                return Failure(unstartable(started.failure(), directory))
            made.terminal = started.unwrap()
            self._open[made.id] = made
            group.create_task(self._live(made))
        self._noted(*made.identity)
        return Success(made.shown())

    def all(self) -> Sequence[SessionTerminal]:
        """Those that are open, in the order they were opened."""
        return [each.shown() for each in self._open.values()]

    def find(self, name: str) -> Result["OpenTerminal", RuntimeProblem]:
        found = self._open.get(name)
        return Failure(_absent()) if found is None else Success(found)

    async def end(self, name: str) -> Result[None, RuntimeProblem]:
        """Hang up, and end whatever runs on it."""
        found = self._open.get(name)
        if found is None:
            return Failure(_absent())
        await found.stop()
        return Success(None)

    async def close(self) -> None:
        """End all of them, at once, and open no more. Idempotent."""
        async with self._gate:
            self._closed = True
        async with asyncio.TaskGroup() as group:
            for each in list(self._open.values()):
                group.create_task(each.stop())

    async def _live(self, terminal: "OpenTerminal") -> None:
        try:
            await terminal.live(self._ending)
        finally:
            self._open.pop(terminal.id, None)


class OpenTerminal:
    """One of them, and whoever looks at it."""

    def __init__(
        self, name: str, program: str, size: TerminalSize, redactor: Redactor, clock: Clock
    ) -> None:
        self.id = name
        self.terminal: Terminal | None = None
        self._program = program
        self._size = size
        self._redactor = redactor
        self._stream = ByteStream(redactor)
        self._idle: asyncio.TimerHandle | None = None
        self._ring = OutputRing(HISTORY_BYTES)
        self._started_at = clock.now()
        self._changed = asyncio.Event()
        self._viewers = 0
        self._exit: Exit | None = None
        self._stop_asked = Happening()
        self._over = Happening()

    @property
    def identity(self) -> tuple[int, int]:
        assert self.terminal is not None, "it was started"
        return self.terminal.pid, self.terminal.started

    @property
    def crowded(self) -> bool:
        """Whether as many look at it as may."""
        return self._viewers >= MAX_VIEWERS

    def feed(self, data: bytes) -> None:
        self._show(self._stream.feed(data))
        if data and self._idle is None:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(IDLE_SECONDS, self._show_rest)

    async def type(self, data: bytes) -> None:
        """Nothing is typed into one that has ended."""
        if self.terminal is not None and not self._over:
            try:
                await self.terminal.write(data)
            except BrokenPipeError:
                return

    def resize(self, size: TerminalSize) -> None:
        """The last one who says so decides for everybody."""
        self._size = size
        if self.terminal is not None:
            self.terminal.resize(size)

    async def look(self) -> AsyncGenerator[Shown]:
        """What is kept, then what comes, and last how the program ended."""
        self._viewers += 1
        try:
            after = self._ring.begin
            while True:
                piece = self._ring.read(after, PIECE_BYTES, whole=bool(self._over))
                if piece.begin > after:
                    yield Lost(piece.begin - after)
                after = piece.end
                if piece.data:
                    yield piece.data
                elif self._over:
                    yield self._exit or Exit(None, None)
                    return
                else:
                    self._changed.clear()
                    await self._changed.wait()
        finally:
            self._viewers -= 1

    async def live(self, bounds: Ending) -> None:
        """Until its program has ended, and everything on it."""
        assert self.terminal is not None, "it was started"
        ending = asyncio.ensure_future(self.terminal.wait())
        first: set[asyncio.Future[Any]] = {ending, self._stop_asked.future}  # of two kinds
        try:
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            self._exit = await self.terminal.stop(
                polite=POLITE_SECONDS if self._stop_asked else 0,
                terminate=bounds.terminate,
                kill=bounds.kill,
            )
            self._show_rest()
            self._over.happen()
            self._changed.set()

    async def stop(self) -> None:
        self._stop_asked.happen()
        await self._over.wait()

    def shown(self) -> SessionTerminal:
        columns, rows = self._size
        return SessionTerminal(
            self.id, self._program, columns, rows, self._viewers, self._started_at
        )

    def _show(self, clean: bytes) -> None:
        if clean:
            self._ring.add(clean)
            self._changed.set()

    def _show_rest(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        self._show(self._stream.close())
        self._stream = ByteStream(self._redactor)


def _absent() -> RuntimeProblem:
    return RuntimeProblem(RuntimeCode.NO_TERMINAL, "there is no such terminal")
