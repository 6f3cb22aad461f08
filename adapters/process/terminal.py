"""A program on a terminal of its own (pty(7)): the leader of its session, the terminal its own.

Without `fork` in our memory nobody can take the terminal for the child, so a shell does: the leader
of a session that opens a terminal gets it as its controlling one (tty_ioctl(4)), and then becomes
the program.
"""

import asyncio
import errno
import os
import signal
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from typing_extensions import override

from adapters.process.program import Program
from adapters.process.spawn import code_of
from adapters.process.table import Identity, Root, Scanner, read
from domain.outcome import Failure, Result, Success
from domain.terminal import TerminalSize
from ports.processes import SpawnCode, SpawnFailed, Terminal

__all__ = ("LocalTerminals",)

_READ_SIZE: Final = 65_536
_DRAINED: Final = 1_048_576
"""What is read at most of a terminal that is given up."""

_TAKE: Final = 'exec <"$0" >"$0" 2>&1; exec "$@"'


class LocalTerminal(Program):
    """`ports.processes.Terminal`. `slave` stays open here until the program has ended.

    So that its output does not end before the program has opened it.
    """

    __slots__ = ("_master", "_on_output", "_room", "_slave", "_unwritten")

    def __init__(
        self,
        popen: "subprocess.Popen[bytes]",
        root: Root,
        scan: Scanner,
        pair: tuple[int, int],
        on_output: Callable[[bytes], None],
    ) -> None:
        self._master: int | None = pair[0]
        self._slave: int | None = pair[1]
        self._on_output = on_output
        self._unwritten = b""
        self._room: asyncio.Future[None] | None = None
        super().__init__(popen, root, scan)
        os.set_blocking(pair[0], False)
        asyncio.get_running_loop().add_reader(pair[0], self._read)

    async def write(self, data: bytes) -> None:
        if self._master is None:
            raise BrokenPipeError
        self._unwritten += data
        self._write()
        if self._unwritten and self._room is None:
            loop = asyncio.get_running_loop()
            self._room = loop.create_future()
            loop.add_writer(self._master, self._write)
        if self._room is not None:
            await asyncio.shield(self._room)

    def resize(self, size: TerminalSize) -> None:
        if self._master is not None:
            termios.tcsetwinsize(self._master, (size.rows, size.columns))

    @override
    def _ask_to_end(self) -> None:
        """Hang up: a shell that waits for a person ignores SIGTERM."""
        self._signal((), signal.SIGHUP)
        self._signal((), signal.SIGCONT)

    @override
    def _at_exit(self) -> None:
        self._close_slave()

    @override
    def _outputs_ended(self) -> bool:
        return self._master is None

    @override
    def _abandon_outputs(self) -> None:
        taken = 0
        while self._master is not None and taken < _DRAINED:
            count = self._read()
            if not count:
                break
            taken += count
        self._end()

    @override
    def _give_up(self) -> None:
        self._abandon_outputs()

    def _read(self) -> int:
        """Deliver what is there; how much it was."""
        if self._master is None:
            return 0
        try:
            data = os.read(self._master, _READ_SIZE)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""  # EIO: nobody holds the other end any more
        if data:
            self._on_output(data)
        else:
            self._end()
        return len(data)

    def _write(self) -> None:
        try:
            if self._master is not None and self._unwritten:
                self._unwritten = self._unwritten[os.write(self._master, self._unwritten) :]
        except BlockingIOError:
            return
        except OSError:
            self._unwritten = b""
        if not self._unwritten:
            self._let_writers_go()

    def _let_writers_go(self) -> None:
        room, self._room = self._room, None
        if room is not None:
            if self._master is not None:
                asyncio.get_running_loop().remove_writer(self._master)
            if not room.done():
                room.set_result(None)

    def _end(self) -> None:
        """There is no more to read; whoever still writes to it is heard no more."""
        if self._master is None:
            return
        self._unwritten = b""
        self._let_writers_go()
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        self._master = None
        self._close_slave()
        self._on_output(b"")
        self._settle()

    def _close_slave(self) -> None:
        if self._slave is not None:
            os.close(self._slave)
            self._slave = None


class LocalTerminals:
    """`ports.processes.Terminals` on this machine."""

    __slots__ = ("_scan",)

    def __init__(self) -> None:
        self._scan = Scanner()

    async def start(
        self,
        command: Sequence[str],
        *,
        directory: str,
        environment: Mapping[str, str],
        size: TerminalSize,
        on_output: Callable[[bytes], None],
    ) -> Result[Terminal, SpawnFailed]:
        program = command[0]
        if not program.startswith("/") or not os.access(program, os.X_OK):
            return Failure(SpawnFailed(SpawnCode.NOT_FOUND, program))
        try:
            pair = os.openpty()
        except OSError as problem:
            if problem.errno == errno.ENOSPC:  # no terminal is left (pty(7))
                return Failure(SpawnFailed(SpawnCode.NO_RESOURCES, program))
            return Failure(SpawnFailed(code_of(problem), program))
        popen = None
        try:
            termios.tcsetwinsize(pair[0], (size.rows, size.columns))
            popen = _open(command, pair[1], directory, environment)
            process = read(popen.pid)
            assert process is not None, "it is not reaped yet"
            root = Root(Identity(popen.pid, process.identity.started))
            return Success(LocalTerminal(popen, root, self._scan, pair, on_output))
        except OSError as problem:
            _abandon(popen, pair)
            if problem.filename == directory:
                return Failure(SpawnFailed(SpawnCode.NO_DIRECTORY, program))
            return Failure(SpawnFailed(code_of(problem), program))


def _abandon(popen: "subprocess.Popen[bytes] | None", pair: tuple[int, int]) -> None:
    for descriptor in pair:
        os.close(descriptor)
    if popen is not None:
        popen.kill()
        popen.wait()


def _open(
    command: Sequence[str], slave: int, directory: str, environment: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        ["/bin/sh", "-c", _TAKE, os.ttyname(slave), *command],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
