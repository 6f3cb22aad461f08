"""agentctl as a process: started in a session of its own, found again, ended."""

import asyncio
import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ("Announced", "StartFailed", "Started", "end", "is_running", "start")

START_SECONDS: Final = 30.0
"""From the start of the process to the line in which it says where it listens."""
END_SECONDS: Final = 20.0
"""From TERM to KILL: agents are ended first, politely."""

_POLL_SECONDS = 0.02


class StartFailed(Exception):  # noqa: N818 -- an outcome of `start`
    """agentctl did not come up; the text is for a person."""


@dataclass(frozen=True, slots=True)
class Announced:
    """What agentctl says of itself once it listens."""

    socket: str
    pid: int
    started: int


@dataclass(slots=True)
class Started:
    """A child of ours; it outlives us unless it is owned, and is reaped when it ends before us."""

    announced: Announced
    process: "subprocess.Popen[bytes]"

    def release(self) -> None:
        """Let go of the pipe that an owned agentctl would end with."""
        if self.process.stdin is not None:
            self.process.stdin.close()


async def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    key: bytes,
    log: Path,
    *,
    owned: bool,
) -> Started:
    """Start agentctl, give it the key on stdin, and wait for its one line.

    An owned agentctl ends when its stdin does. Raises `StartFailed`; then no process is left.
    """
    return await asyncio.to_thread(_start, command, environment, key, log, owned)


def _start(
    command: Sequence[str], environment: Mapping[str, str], key: bytes, log: Path, owned: bool
) -> Started:
    with log.open("ab") as errors:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=dict(environment),
            cwd="/",
            start_new_session=True,
        )
    assert process.stdin is not None, "asked for above"
    assert process.stdout is not None, "asked for above"
    try:
        process.stdin.write(key)
        process.stdin.flush()
        if not owned:
            process.stdin.close()
        announced = _read_line(process.stdout.fileno())
    except (OSError, ValueError, KeyError, TypeError) as error:
        process.kill()
        process.wait()
        with suppress(OSError):
            process.stdin.close()
        raise StartFailed(f"agentctl did not start ({error}); see {log}") from None
    finally:
        process.stdout.close()
    return Started(announced, process)


def _read_line(descriptor: int) -> Announced:
    line = b""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    while not line.endswith(b"\n"):
        if not poller.poll(START_SECONDS * 1000):
            raise OSError("it said nothing in time")
        part = os.read(descriptor, 4096)
        if not part:
            raise OSError("it ended")
        line += part
    told = json.loads(line)
    return Announced(str(told["socket"]), int(told["pid"]), int(told["started"]))


def is_running(pid: int, started: int) -> bool:
    """Whether the process of this pid *and* start time (proc(5), field 22) runs; a zombie not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return fields[0] not in {b"Z", b"X"} and int(fields[19]) == started


async def end(pid: int, started: int, process: "subprocess.Popen[bytes] | None") -> None:
    """TERM, a bounded wait, KILL; a child of ours is reaped. Nothing else is ever signalled."""
    _signal(pid, started, signal.SIGTERM)
    with suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await _until_ended(pid, started, process)
            return
    _signal(pid, started, signal.SIGKILL)
    async with asyncio.timeout(END_SECONDS):
        await _until_ended(pid, started, process)


async def _until_ended(pid: int, started: int, process: "subprocess.Popen[bytes] | None") -> None:
    # A pidfd would save the poll; a process that is not a child of ours has no other signal.
    while is_running(pid, started):
        if process is not None:
            process.poll()
        await asyncio.sleep(_POLL_SECONDS)
    if process is not None:
        await asyncio.to_thread(process.wait)


def _signal(pid: int, started: int, number: signal.Signals) -> None:
    if is_running(pid, started):
        with suppress(ProcessLookupError):
            os.kill(pid, number)
