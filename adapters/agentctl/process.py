"""agentctl as a process: started in a session of its own, found again, ended."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Final, cast

import msgspec

from adapters.agentctl.process_stat import is_running, read
from adapters.agentctl.wire import Announced

__all__ = ("StartFailed", "Started", "end", "start")

MAX_LOG_BYTES: Final = 1024 * 1024
"""What its standard error may have come to when it is started anew."""
START_SECONDS: Final = 30.0
"""From the start of the process to the line in which it says where it listens."""
END_SECONDS: Final = 20.0
"""From TERM to KILL: agents are ended first, politely."""

_announced: Final = msgspec.json.Decoder(Announced)


class StartFailed(Exception):  # noqa: N818 -- an outcome of `start`
    """agentctl did not come up; the text is for a person."""


@dataclass(slots=True)
class Started:
    """A child of ours; it outlives us unless it is owned, and is reaped when it ends before us."""

    announced: Announced
    process: "subprocess.Popen[bytes]"

    def release(self) -> None:
        """Let go of it, and of the pipe that an owned agentctl would end with."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        if self.process.poll() is not None:
            return
        if is_running(self.announced.pid, self.announced.started):
            # It outlives us by intent, of which Popen would warn.
            self.process.returncode = 0
        else:
            # It was killed, and the last of its threads is about to end.
            self.process.wait()


async def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    key: bytes,
    log: Path,
    *,
    owned: bool,
    seconds: float = START_SECONDS,
) -> Started:
    """Start agentctl, give it the key on stdin, and wait `seconds` for its one line.

    An owned agentctl ends when its stdin does. Raises `StartFailed` or `OSError`; then, and when
    cancelled, no process is left.
    """
    process = _spawn(command, environment, log)
    try:
        assert process.stdin is not None, "asked for above"
        with suppress(BrokenPipeError):
            process.stdin.write(key)
            if not owned:
                process.stdin.close()
        return Started(await _announcement(process, seconds), process)
    except (TimeoutError, ValueError) as problem:
        _abandon(process)
        raise StartFailed(f"agentctl did not start ({_said(problem)}); see {log}") from None
    except BaseException:
        _abandon(process)
        raise


async def end(
    pid: int,
    started: int,
    child: "subprocess.Popen[bytes] | None",
    *,
    seconds: float = END_SECONDS,
) -> None:
    """TERM, a bounded wait, KILL; a child of ours is reaped. Nothing else is ever signalled."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            # Once it is open, the number cannot come to mean another process.
            if is_running(pid, started):
                await _end(descriptor, seconds)
        finally:
            os.close(descriptor)
    if child is not None:
        child.poll()
    else:
        _reap(pid, started)


def _reap(pid: int, started: int) -> None:
    """Another owner in this process may have started it, and let it go."""
    found = read(pid)
    if found is not None and found.started == started:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _spawn(
    command: Sequence[str], environment: Mapping[str, str], log: Path
) -> "subprocess.Popen[bytes]":
    """With what the process says when it ends badly in `log`, which begins anew when it is long."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        errors = os.open(log, flags, 0o600)
        if os.fstat(errors).st_size > MAX_LOG_BYTES:
            os.ftruncate(errors, 0)
    except OSError:  # a log that cannot be written keeps nobody from working
        errors = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=dict(environment),
            cwd="/",
            bufsize=0,
            start_new_session=True,
        )
    finally:
        os.close(errors)


async def _announcement(process: "subprocess.Popen[bytes]", seconds: float) -> Announced:
    """Its one line. Raises `TimeoutError` or `ValueError`."""
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), cast("BufferedReader", process.stdout)
    )
    try:
        async with asyncio.timeout(seconds):
            line = await reader.readline()
    finally:
        transport.close()
    if not line:
        raise ValueError("it ended")
    return _announced.decode(line)


def _said(problem: Exception) -> str:
    return "it said nothing in time" if isinstance(problem, TimeoutError) else str(problem)


def _abandon(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


async def _end(descriptor: int, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        loop.remove_reader(descriptor)
        ended.set_result(None)

    loop.add_reader(descriptor, tell)
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, number)
            # Goes on in a task that is being cancelled, as `asyncio.timeout` does from 3.11.4 only.
            await asyncio.wait({ended}, timeout=seconds)
            if ended.done():
                return
    finally:
        loop.remove_reader(descriptor)
