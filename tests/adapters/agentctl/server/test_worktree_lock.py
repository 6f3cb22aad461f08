"""Two processes at the worktrees of one repository: one waits for the other, with a bound."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.agentctl import wire
from domain.outcome import failed
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House, Open, git
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

HOLDER = """
import fcntl, sys
with open(sys.argv[1], "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""


@asynccontextmanager
async def held(lock: Path) -> AsyncIterator["subprocess.Popen[str]"]:
    """Another process that has the lock, until its standard input ends."""
    with subprocess.Popen(
        [sys.executable, "-I", "-c", HOLDER, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert await asyncio.to_thread(holder.stdout.readline) == "held\n"
        yield holder


def _bare(source: Path, tmp_path: Path) -> tuple[Path, Path]:
    clone = tmp_path / "clone"
    git(source, "clone", "-q", "--bare", str(source), str(clone))
    return clone, tmp_path / "clone.lock"


def _own(source: Path, _: Path) -> tuple[Path, Path]:
    return source, source / ".git" / "kandev.lock"


def _linked(source: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A worktree of the user's own that was registered as the repository."""
    git(source, "worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    return tmp_path / "linked", source / ".git" / "kandev.lock"


REPOSITORIES = [_bare, _own, _linked]


def _checkout(repository: Path) -> wire.Checkout:
    return wire.Checkout("r1", str(repository), "", "feature/a", "main")


@requirement("git:lock:worktrees")
@pytest.mark.parametrize("repository", REPOSITORIES)
async def test_a_launch_waits_for_the_other_process(
    house: House, source: Path, tmp_path: Path, repository: object
) -> None:
    assert callable(repository)
    place, lock = repository(source, tmp_path)
    async with held(lock) as holder:
        launching = asyncio.create_task(house.create(checkouts=[_checkout(place)]))
        made, _ = await asyncio.wait({launching}, timeout=0.3)
        waited = not made and not (house.workspace / "file").exists()
        assert holder.stdin is not None
        holder.stdin.close()
        created = await launching

    assert waited
    assert not failed(created)
    assert (house.workspace / "file").read_text() == "text\n"


@requirement("git:lock:worktrees")
async def test_a_launch_that_waited_too_long_leaves_nothing(open_house: Open, source: Path) -> None:
    async with open_house(lock_seconds=0.05) as house, held(source / ".git" / "kandev.lock"):
        refused = await house.create(checkouts=[_checkout(source)])

    assert refused.failure().code is RuntimeCode.REPOSITORY_BUSY
    assert not house.workspace.exists()
    assert git(source, "branch", "--list", "feature/a") == ""


@requirement("git:lock:worktrees")
async def test_a_worktree_that_is_there_needs_no_lock(open_house: Open, source: Path) -> None:
    async with open_house(lock_seconds=0.05) as house:
        git(source, "worktree", "add", "-q", "-b", "feature/a", str(house.workspace))
        async with held(source / ".git" / "kandev.lock"):
            created = await house.create(checkouts=[_checkout(source)])

    assert not failed(created)


@requirement("git:lock:worktrees")
async def test_nothing_is_removed_or_brought_back_meanwhile(open_house: Open, source: Path) -> None:
    async with open_house(lock_seconds=0.05) as house:
        git(source, "worktree", "add", "-q", "-b", "feature/a", str(house.workspace))
        (house.workspace / "work").write_text("work\n")
        asked = wire.Worktrees("t1", str(house.workspace), [_checkout(source)])
        lock = source / ".git" / "kandev.lock"
        async with held(lock):
            removed = await house.removal.remove(asked)
        assert (house.workspace / "work").read_text() == "work\n"
        (await house.removal.remove(asked)).unwrap()
        async with held(lock):
            restored = await house.removal.restore(asked)

    for refused in (removed, restored):
        assert refused.failure().code is RuntimeCode.REPOSITORY_BUSY
    assert not house.workspace.exists()
