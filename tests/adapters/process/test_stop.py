import asyncio
import os
import signal
import subprocess
import sys
import time
import uuid

import pytest

from adapters.process.ending import gone, send
from adapters.process.spawn import EXECUTION_MARKER, LocalProcesses
from adapters.process.table import Identity, read
from ports.processes import Exit
from tests.adapters.process.conftest import Start
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _lives(pid: int) -> bool:
    process = read(pid)
    return process is not None and not process.ended


@requirement("processes:stop:polite")
async def test_a_program_that_heeds_its_input_gets_no_signal(start: Start) -> None:
    child, stdout, _ = await start("trap 'echo signalled' TERM; cat; echo bye")

    ended = await child.stop(polite=10, terminate=0, kill=0)

    assert ended == Exit(0, None)
    assert stdout.text == "bye\n"
    assert read(child.pid) is None


@requirement("processes:stop:escalates")
async def test_a_program_that_ignores_its_input_gets_a_term(start: Start) -> None:
    child, stdout, _ = await start(
        "trap 'echo term; exit 3' TERM; echo up; while :; do sleep 0.05; done"
    )
    await stdout.line()

    ended = await child.stop(polite=0, terminate=10, kill=0)

    assert ended == Exit(3, None)
    assert stdout.text == "up\nterm\n"


@requirement("processes:stop:escalates")
async def test_a_program_that_ignores_everything_is_killed_within_the_bounds(start: Start) -> None:
    child, stdout, _ = await start("trap '' TERM; echo up; while :; do sleep 60; done")
    await stdout.line()

    begun = time.monotonic()
    ended = await child.stop(polite=0.1, terminate=0.1, kill=10)

    assert ended == Exit(None, 9)
    assert time.monotonic() - begun >= 0.2
    assert read(child.pid) is None


@requirement("processes:stop:family")
@pytest.mark.parametrize(
    "descendant",
    [
        "sh -c 'trap \"\" TERM; echo $$; exec sleep 60' &",
        "setsid sh -c 'trap \"\" TERM; echo $$; exec sleep 60' &",
        "sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 60\" & exec sleep 60' &",
    ],
    ids=["ignores-term", "own-session", "grandchild-in-a-session"],
)
async def test_stopping_ends_descendants_that_left(start: Start, descendant: str) -> None:
    child, stdout, _ = await start(f"{descendant} cat")
    pid = int(await stdout.line())

    ended = await child.stop(polite=5, terminate=0.1, kill=5)

    assert ended == Exit(0, None)
    assert not _lives(pid)
    assert read(child.pid) is None


@requirement("processes:stop:family")
async def test_a_group_that_outlived_its_leader_ends(start: Start) -> None:
    child, stdout, _ = await start("sleep 60 & echo $!")
    pid = int(await stdout.line())
    await child.wait()
    assert _lives(pid)

    await child.stop(polite=0, terminate=5, kill=5)

    assert not _lives(pid)


ORPHAN = "(setsid sh -c 'echo $$; exec sleep 60' &) ; exit 0"


@pytest.fixture
def execution() -> dict[str, str]:
    """An execution of this test alone: others run at the same time."""
    return {EXECUTION_MARKER: uuid.uuid4().hex}


@requirement("processes:stop:orphans")
async def test_orphans_of_the_same_execution_end_with_it(
    start: Start, execution: dict[str, str]
) -> None:
    child, stdout, _ = await start(ORPHAN, execution)
    pid = int(await stdout.line())
    await child.wait()
    assert _lives(pid)

    await child.stop(polite=0, terminate=5, kill=5)

    assert not _lives(pid)


@requirement("processes:stop:orphans")
@pytest.mark.parametrize(
    ("marker", "same"),
    [(EXECUTION_MARKER, False), (None, True)],
    ids=["another-execution", "owns-nothing"],
)
async def test_orphans_of_others_live_on(
    start: Start, execution: dict[str, str], marker: str | None, same: bool
) -> None:
    mine = execution if same else {EXECUTION_MARKER: uuid.uuid4().hex}
    child, _, _ = await start("read line", mine, LocalProcesses(marker))
    other, stdout, _ = await start(ORPHAN, execution)
    pid = int(await stdout.line())

    await child.stop(polite=5, terminate=5, kill=5)
    assert _lives(pid)

    await other.stop(polite=5, terminate=5, kill=5)
    assert not _lives(pid)


@requirement("processes:stop:orphans")
async def test_another_child_of_the_same_execution_lives_on(
    start: Start, execution: dict[str, str]
) -> None:
    first, _, _ = await start("read line", execution)
    second, stdout, _ = await start("setsid sleep 60 & echo $!; read line", execution)
    pid = int(await stdout.line())

    await first.stop(polite=5, terminate=5, kill=5)
    assert _lives(second.pid)
    assert _lives(pid)

    await second.stop(polite=5, terminate=5, kill=5)
    assert not _lives(pid)


@requirement("processes:identity")
async def test_a_reused_pid_is_not_signalled() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        process = read(other.pid)
        assert process is not None
        impostor = Identity(other.pid, process.identity.started + 1)

        send([impostor], signal.SIGKILL)
        await gone([impostor], 5)

        assert other.poll() is None
        other.communicate(b"\n", timeout=20)
    assert other.returncode == 0


async def test_stopping_twice_at_once_gives_both_the_same_end(start: Start) -> None:
    child, _, _ = await start("read line; exit 4")

    ends = await asyncio.gather(*(child.stop(polite=5, terminate=5, kill=5) for _ in range(2)))

    assert ends == [Exit(4, None), Exit(4, None)]


async def test_stopping_leaves_no_descriptor(start: Start) -> None:
    counts = []
    for _ in range(3):
        child, _, _ = await start("cat")
        await child.stop(polite=5, terminate=5, kill=5)
        await asyncio.sleep(0)
        with os.scandir("/proc/self/fd") as entries:
            counts.append(len(list(entries)))

    # The first use may open what the event loop keeps.
    assert counts[1:] == counts[:1] * 2
