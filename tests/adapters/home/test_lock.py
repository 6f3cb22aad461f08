"""One server a home, between real processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.home.layout import HomeFault, HomeProblem
from adapters.home.lock import HomeHeld, holder, take_home
from domain.outcome import Failure, failed
from tests.requirements import requirement

ROOT = Path(__file__).parents[3]
SERVER = """
import sys
from pathlib import Path
from adapters.home.lock import take_home
lock = take_home(Path(sys.argv[1])).unwrap()
lock.announce("http://127.0.0.1:38429")
print("held", flush=True)
sys.stdin.read()
lock.close()
"""


@contextmanager
def server(lock: Path) -> Generator[subprocess.Popen[bytes]]:
    """Another process that holds the home."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(lock)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.kill()
            process.wait(timeout=10)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "server.lock"


@requirement("home:lock:one-server")
def test_a_second_server_is_told_who_holds_the_home(lock: Path) -> None:
    with server(lock) as first:
        held = HomeHeld(str(lock.parent), first.pid, "http://127.0.0.1:38429")

        assert take_home(lock) == Failure(held)
        assert holder(lock) == held
        assert take_home(lock) == Failure(held)


@requirement("home:lock:freed")
@pytest.mark.parametrize("how", ["closed", "killed"])
def test_a_home_is_free_once_its_server_has_ended(lock: Path, how: str) -> None:
    with server(lock) as first:
        assert first.stdin is not None
        if how == "closed":
            first.stdin.close()
        else:
            first.send_signal(signal.SIGKILL)
        first.wait(timeout=10)

        assert holder(lock) is None
        taken = take_home(lock)

        assert not failed(taken)
        with taken.unwrap():
            assert holder(lock) == HomeHeld(str(lock.parent), os.getpid(), "")
        assert holder(lock) is None


@requirement("home:lock:one-server")
@pytest.mark.parametrize("said", [b"", b"{", b"[]", b'{"pid": "x"}', b"\xff"])
def test_a_holder_that_has_not_said_who_it_is_holds_the_home_all_the_same(
    lock: Path, said: bytes
) -> None:
    with take_home(lock).unwrap():
        lock.write_bytes(said)

        assert take_home(lock) == Failure(HomeHeld(str(lock.parent), None, ""))


def test_nobody_holds_a_home_that_never_had_a_server(lock: Path) -> None:
    assert holder(lock) is None
    assert not lock.exists()


def test_the_lock_is_its_owners_alone_and_is_not_inherited(lock: Path) -> None:
    with take_home(lock).unwrap() as held:
        assert lock.stat().st_mode & 0o777 == 0o600
        assert not os.get_inheritable(held._descriptor)


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_a_lock_that_is_no_file_is_refused(lock: Path, kind: str) -> None:
    if kind == "link":
        lock.symlink_to(lock.with_name("elsewhere"))
    else:
        lock.mkdir()

    assert take_home(lock) == Failure(HomeProblem(str(lock), HomeFault.NOT_WRITABLE))
    assert holder(lock) is None
    assert not lock.with_name("elsewhere").exists()
