import asyncio
import os
import subprocess

import pytest

from adapters.process.table import Identity, Process, Root, Scanner, Table, read
from tests.requirements import requirement

US = 100
ROOT = Root(Identity(200, 50))


def _process(
    pid: int, parent: int, session: int, started: int = 60, *, ended: bool = False
) -> Process:
    return Process(Identity(pid, started), parent, session, session, ended)


BASE = (_process(1, 0, 1, 0), _process(US, 1, 100, 10), _process(200, US, 200, 50))


def _pids(*others: Process, root: Root = ROOT, known: tuple[Identity, ...] = ()) -> set[int]:
    table = Table((*BASE, *others), US)
    return {identity.pid for identity in table.belonging(root, known)}


@requirement("processes:stop:family")
def test_descendants_by_parent_belong_whatever_their_session() -> None:
    assert _pids(_process(201, 200, 201), _process(202, 201, 200), _process(300, US, 300)) == {
        201,
        202,
    }


@requirement("processes:stop:family")
def test_members_of_the_session_belong_when_their_parents_are_gone() -> None:
    assert _pids(_process(201, 1, 200), _process(202, 201, 202), _process(203, 1, 203)) == {
        201,
        202,
    }


@requirement("processes:stop:family")
def test_those_known_from_before_belong_as_long_as_they_live() -> None:
    left, reused = Identity(201, 60), Identity(202, 55)

    assert _pids(_process(201, 1, 201), _process(202, 1, 202), known=(left, reused)) == {201}


@requirement("processes:stop:family")
def test_what_has_ended_belongs_to_nobody() -> None:
    assert _pids(_process(201, 200, 200, ended=True)) == set()


@requirement("processes:identity")
def test_a_reused_pid_has_no_family_of_the_old_one() -> None:
    old = Root(Identity(200, 40))

    assert _pids(_process(201, 200, 200), root=old) == set()


@requirement("processes:identity")
def test_a_process_is_read_with_its_start_whatever_its_name() -> None:
    script = "printf 'a) (b R 1' > /proc/$$/comm; echo; read line"
    with subprocess.Popen(
        ["/bin/sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        process = read(child.pid)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        ended = read(child.pid)

    ours = read(os.getpid())
    assert process is not None
    assert ended is not None
    assert ours is not None
    assert process == Process(process.identity, os.getpid(), child.pid, child.pid, ended=False)
    assert process.identity.started >= ours.identity.started
    assert ended == process._replace(ended=True)
    assert read(child.pid) is None


@pytest.mark.anyio
async def test_those_who_look_at_once_share_one_look_and_later_ones_do_not() -> None:
    scan = Scanner()

    first, second = await asyncio.gather(scan(), scan())
    third = await scan()

    assert first is second
    assert third is not first
    assert os.getpid() in {process.identity.pid for process in third}
