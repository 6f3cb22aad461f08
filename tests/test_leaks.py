"""The guard sees every kind of thing that a test can leave behind, and nothing where nothing is."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.own_processes import MARK

ROOT = Path(__file__).parent.parent

PLANTED = """
import asyncio, os, signal, socket, subprocess, threading, time
from contextlib import suppress
from pathlib import Path

import pytest

KEPT = []
BARE = {"PATH": os.environ["PATH"]}
pids = Path(__file__).with_name("pids")


def orphan(where, environment):
    script = f"setsid sleep 300 >/dev/null 2>&1 & echo $! | tee -a {pids}"
    told = subprocess.run(
        ["/bin/sh", "-c", script], cwd=where, env=environment, check=True, capture_output=True
    )
    name = Path("/proc", told.stdout.decode().strip(), "comm")
    while name.read_text() != "sleep\\n":  # a program that is about to be another shows no face
        time.sleep(0.001)


def test_a_task(tmp_path):
    async def main():
        KEPT.append(asyncio.create_task(asyncio.sleep(300), name="forgotten"))
        await asyncio.sleep(0)

    asyncio.run(main())


@pytest.mark.anyio
async def test_a_task_of_an_async_test():
    KEPT.append(asyncio.create_task(asyncio.sleep(300), name="forgotten"))
    await asyncio.sleep(0)


@pytest.mark.anyio
async def test_a_task_that_does_not_heed_its_cancellation():
    async def stubborn():
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(300)
        await asyncio.sleep(300)

    task = asyncio.create_task(stubborn(), name="stubborn")
    await asyncio.sleep(0)
    task.cancel()
    KEPT.append(task)


def test_a_child():
    KEPT.append(subprocess.Popen(["sleep", "301"]))
    with pids.open("a") as file:
        print(KEPT[-1].pid, file=file)


def test_a_child_that_was_not_waited_for():
    child = subprocess.Popen(["true"])
    KEPT.append(child)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)


def test_a_marked_orphan():
    orphan("/", None)


def test_an_unmarked_orphan_in_a_directory_of_the_test(tmp_path):
    orphan(tmp_path, BARE)


def test_a_socket():
    KEPT.append(socket.create_server(("127.0.0.1", 0)))


def test_a_descriptor(tmp_path):
    KEPT.append(os.open(tmp_path / "opened", os.O_CREAT | os.O_RDWR))


def test_a_thread():
    release = threading.Event()
    threading.Thread(target=release.wait, args=(60,), name="forgotten", daemon=True).start()
    KEPT.append(release)


def test_a_descriptor_of_a_fixture(opener):
    pass


@pytest.fixture
def opener():
    KEPT.append(os.open("/", os.O_RDONLY))


@pytest.fixture(scope="module")
def shared():
    child = subprocess.Popen(["sleep", "302"])
    with socket.create_server(("127.0.0.1", 0)):
        yield
    child.kill()
    child.wait()


def test_nothing_with_a_fixture_of_the_module(shared):
    pass


def test_nothing_in_the_end(tmp_path):
    async def main():
        process = await asyncio.create_subprocess_exec("true")
        await process.wait()

    asyncio.run(main())
    with socket.create_server(("127.0.0.1", 0)), (tmp_path / "file").open("w"):
        orphaned = subprocess.Popen(["sleep", "303"])
    orphaned.send_signal(signal.SIGKILL)
    threading.Timer(0.1, orphaned.wait).start()


@pytest.mark.anyio
async def test_nothing_of_a_task_that_was_cancelled():
    task = asyncio.create_task(asyncio.sleep(300))
    await asyncio.sleep(0)
    task.cancel()


def test_nothing_that_another_run_started():
    stranger = {**os.environ, os.environ["TELLTALE"]: "another"}
    orphan("/", stranger)
"""

LEFT_BEHIND = {
    "test_a_task": "task forgotten",
    "test_a_task_of_an_async_test": "task forgotten",
    "test_a_task_that_does_not_heed_its_cancellation": "task stubborn",
    "test_a_child": "sleep 301",
    "test_a_child_that_was_not_waited_for": "nobody waited for it",
    "test_a_marked_orphan": "sleep 300",
    "test_an_unmarked_orphan_in_a_directory_of_the_test": "sleep 300",
    "test_a_socket": "AF_INET at ('127.0.0.1'",
    "test_a_descriptor": "/opened",
    "test_a_thread": "thread forgotten",
    "test_a_descriptor_of_a_fixture": "descriptor",
    "test_nothing_with_a_fixture_of_the_module": "",
    "test_nothing_in_the_end": "",
    "test_nothing_of_a_task_that_was_cancelled": "",
    "test_nothing_that_another_run_started": "",
}


@pytest.fixture
def verdicts(tmp_path: Path) -> Iterator[dict[str, str]]:
    """What the guard said about each planted test, run in parallel; empty where it said nothing."""
    (tmp_path / "pids").touch()
    (tmp_path / "test_planted.py").write_text(PLANTED, encoding="utf-8")
    try:
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "tests.leaks", "-n", "3"),
                *("-p", "no:schemathesis", "-p", "no:hypothesispytest", "-p", "no:cacheprovider"),
                *("-c", os.devnull, "--rootdir", str(tmp_path), "--leak-grace", "1"),
                *("--basetemp", str(tmp_path / "tmp"), "--junit-xml", str(tmp_path / "report")),
                str(tmp_path / "test_planted.py"),
            ],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TELLTALE": MARK},
            capture_output=True,
            check=False,
            timeout=50,
        )
        yield _verdicts(tmp_path / "report")
    finally:
        for pid in (tmp_path / "pids").read_text(encoding="utf-8").split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def _verdicts(report: Path) -> dict[str, str]:
    said: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):
        name = case.get("name", "").removesuffix("[asyncio]")
        said[name] = " ".join(problem.get("message", "") for problem in case)
    return said


def test_what_a_test_leaves_behind_fails_it_and_no_other(verdicts: dict[str, str]) -> None:
    assert verdicts.keys() == LEFT_BEHIND.keys()
    for name, words in LEFT_BEHIND.items():
        assert ("left behind: " in verdicts[name]) == bool(words), verdicts[name]
        assert words in verdicts[name]
