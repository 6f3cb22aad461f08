"""Starting and ending agentctl, played by small programs where it misbehaves."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from adapters.agentctl import process_stat
from adapters.agentctl.process import Started, StartFailed, end, start
from adapters.agentctl.wire import Announced
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

KEY = bytes(range(32))
GOOD = """
import json, os, signal, sys
started = int(open("/proc/self/stat").read().rpartition(")")[2].split()[19])
key = sys.stdin.buffer.read(32)
for number in {deaf}:
    signal.signal(number, signal.SIG_IGN)
print(json.dumps({{"socket": key.hex(), "pid": os.getpid(), "started": started}}), flush=True)
sys.stdin.buffer.read()
signal.pause() if {stays} else None
"""


def _good(*, deaf: tuple[int, ...] = (), stays: bool = True) -> list[str]:
    code = GOOD.format(deaf=deaf, stays=stays)
    return [sys.executable, "-I", "-c", code]


async def _start(command: list[str], tmp_path: Path, **more: bool | float) -> Started:
    chosen = {"owned": False, **more}
    return await start(command, {"A": "b"}, KEY, tmp_path / "log", **chosen)  # type: ignore[arg-type]


async def _finish(started: Started) -> None:
    known = process_stat.read(started.process.pid)
    if known is not None:
        await end(started.process.pid, known.started, started.process)
    started.release()


@requirement("broker:process:start")
async def test_it_gets_the_key_on_stdin_and_a_session_of_its_own(tmp_path: Path) -> None:
    started = await _start(_good(), tmp_path)

    pid = started.process.pid
    known = process_stat.read(pid)
    assert known is not None
    assert started.announced == Announced(KEY.hex(), pid, known.started)
    assert os.getsid(pid) == pid
    assert Path(f"/proc/{pid}/environ").read_bytes() == b"A=b\0"
    assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")
    assert KEY.hex().encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()
    await _finish(started)


@requirement("broker:process:start")
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["/bin/sh", "-c", "echo no key >&2; exit 1"], "it ended"),
        (["/bin/sh", "-c", "echo hello; exec sleep 60"], "malformed"),
        (["/bin/sh", "-c", "echo '{}'; exec sleep 60"], "missing required field"),
        (["/bin/sh", "-c", "exec sleep 60"], "it said nothing in time"),
    ],
)
async def test_one_that_does_not_come_up_is_ended_and_says_why(
    tmp_path: Path, command: list[str], reason: str
) -> None:
    with pytest.raises(StartFailed, match=reason):
        await _start(command, tmp_path, seconds=0.5)

    assert _children() == []
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


async def test_a_program_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await _start(["/nonexistent/agentctl"], tmp_path)


@requirement("broker:process:start")
async def test_a_start_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    starting = asyncio.create_task(_start(["/bin/sh", "-c", "exec sleep 60"], tmp_path))
    await eventually(lambda: bool(_children()))
    starting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await starting
    assert _children() == []


@requirement("broker:process:owned")
async def test_an_owned_one_sees_its_stdin_end_with_its_owner(tmp_path: Path) -> None:
    started = await _start(_good(stays=False), tmp_path, owned=True)
    known = process_stat.read(started.process.pid)
    assert known is not None
    assert process_stat.is_running(started.process.pid, known.started)

    started.release()

    await eventually(lambda: not process_stat.is_running(started.process.pid, known.started))
    with suppress(ChildProcessError):  # one that ended at once is reaped by its release
        _reap(started.process.pid)


@requirement("broker:process:end")
async def test_one_that_does_not_listen_to_term_is_killed(tmp_path: Path) -> None:
    started = await _start(_good(deaf=(int(signal.SIGTERM),)), tmp_path)
    known = process_stat.read(started.process.pid)
    assert known is not None

    await end(started.process.pid, known.started, started.process, seconds=0.2)

    assert started.process.returncode == -signal.SIGKILL


@requirement("broker:process:end")
async def test_a_number_that_names_another_process_is_left_alone(tmp_path: Path) -> None:
    started = await _start(_good(), tmp_path)
    known = process_stat.read(started.process.pid)
    assert known is not None

    await end(started.process.pid, known.started + 1, None)
    assert process_stat.is_running(started.process.pid, known.started)

    await _finish(started)
    assert not process_stat.is_running(started.process.pid, known.started)
    await end(started.process.pid, known.started, None)


def test_a_process_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    script = tmp_path / "a) R 1 (b"
    script.write_text("#!/bin/sh\nread line\n", encoding="utf-8")
    script.chmod(0o700)
    with subprocess.Popen([script], stdin=subprocess.PIPE) as child:
        found = process_stat.read(child.pid)
        assert found is not None
        assert (found.parent, found.ended) == (os.getpid(), False)
        child.communicate(b"\n")

    assert process_stat.read(child.pid) is None
    assert not process_stat.is_running(child.pid, found.started)


def _reap(pid: int) -> None:
    assert os.waitpid(pid, os.WNOHANG)[0] == pid


def _children() -> list[str]:
    table = subprocess.run(
        ["ps", "-o", "args=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in table.stdout.splitlines() if "sleep 60" in line]
