"""Bundles in a workspace: how they come, who sees them, and when they go."""

import asyncio
import os
import stat
import subprocess
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest

from adapters.system.clock import SystemClock
from domain.bundle_delivery import DeliveryBounds
from domain.bundle_path import RETENTION
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.shelves import (
    BUNDLE,
    DATA,
    Worker,
    deliver,
    left,
    pieces_of,
    shelf_in,
    stage,
)
from tests.eventually import eventually
from tests.fakes.clock import ManualClock
from tests.full_disk import full_disk
from tests.git_oracle import isolated
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FOLDER = ".kandev/diagnostics"
FILE = f"{FOLDER}/{BUNDLE}.zip"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    made = tmp_path / "outside"
    made.mkdir(mode=0o755)
    (made / f"{BUNDLE}.zip").write_bytes(b"theirs")
    return made


@requirement("bundle:deliver:private")
async def test_a_bundle_is_its_owner_s_alone(tmp_path: Path, workspace: Path) -> None:
    async with shelf_in(tmp_path) as shelf:
        (await deliver(shelf, Worker(workspace))).unwrap()
        modes = [stat.S_IMODE((workspace / each).stat().st_mode) for each in (FOLDER, FILE)]

    assert modes == [0o700, 0o600]


@requirement("bundle:deliver:refused")
async def test_a_byte_too_many_ends_the_transfer(tmp_path: Path, workspace: Path) -> None:
    given: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            given.append(1)
            yield b"x"

    async with shelf_in(tmp_path) as shelf:
        refused = await stage(shelf, Worker(workspace), b"x" * 1000, endless())

    assert refused.failure().code is RuntimeCode.BUNDLE_TORN
    assert len(given) == 1001
    assert left(workspace) == set()


@requirement("bundle:deliver:refused")
async def test_a_length_over_the_bound_is_refused_before_a_byte_is_read(
    tmp_path: Path, workspace: Path
) -> None:
    read: list[bytes] = []

    async def listened() -> AsyncIterator[bytes]:
        async for piece in pieces_of(DATA):
            read.append(piece)
            yield piece

    async with shelf_in(tmp_path, DeliveryBounds(archive=len(DATA) - 1)) as shelf:
        refused = await stage(shelf, Worker(workspace), DATA, listened())

    assert refused.failure().code is RuntimeCode.BUNDLE_TOO_LARGE
    assert read == []
    assert left(workspace) == set()


@requirement("bundle:deliver:time")
async def test_a_transfer_that_stands_still_ends(tmp_path: Path, workspace: Path) -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield DATA[:10]
        await asyncio.Event().wait()

    async with shelf_in(tmp_path, DeliveryBounds(idle=0.05)) as shelf:
        refused = await stage(shelf, Worker(workspace), DATA, stuck())

    assert refused.failure().code is RuntimeCode.BUNDLE_TORN
    assert left(workspace) == set()


@requirement("bundle:deliver:time")
async def test_a_stage_that_nobody_commits_goes(tmp_path: Path, workspace: Path) -> None:
    async with shelf_in(tmp_path, DeliveryBounds(uncommitted=0.05)) as shelf:
        (await stage(shelf, Worker(workspace))).unwrap()
        await eventually(lambda: shelf.staged == 0 and left(workspace) == set())


@requirement("bundle:deliver:discard")
async def test_a_client_that_vanishes_leaves_nothing(tmp_path: Path, workspace: Path) -> None:
    async def vanishing() -> AsyncIterator[bytes]:
        yield DATA[: len(DATA) * 6 // 10]
        raise ConnectionError

    async with shelf_in(tmp_path) as shelf:
        refused = await stage(shelf, Worker(workspace), DATA, vanishing())

    assert refused.failure().code is RuntimeCode.NO_INSTANCE
    assert left(workspace) == left(tmp_path / "bundles") == set()


@requirement("bundle:deliver:ended")
async def test_all_of_an_execution_ends_with_it(tmp_path: Path, workspace: Path) -> None:
    worker, begun = Worker(workspace), asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield DATA[:10]
        begun.set()
        await asyncio.Event().wait()

    async with shelf_in(tmp_path) as shelf:
        (await deliver(shelf, worker)).unwrap()
        (await stage(shelf, worker)).unwrap()
        transfer = asyncio.create_task(stage(shelf, worker, DATA, endless()))
        await asyncio.wait_for(begun.wait(), 20)
        worker.alive = False
        await shelf.end(worker.handle)
        refused = await asyncio.wait_for(transfer, 20)

        assert refused.failure().code is RuntimeCode.NO_INSTANCE
        assert shelf.staged == 0
        assert left(workspace) == left(tmp_path / "bundles") == set()


@requirement("bundle:deliver:ended")
async def test_another_execution_s_bundle_in_the_same_folder_stays(
    tmp_path: Path, workspace: Path
) -> None:
    other = Worker(workspace, handle=Handle(ExecutionId("e2"), TaskId("t2"), SessionId("s2")))
    async with shelf_in(tmp_path) as shelf:
        for worker in (Worker(workspace), other):
            (await deliver(shelf, worker)).unwrap()
        await shelf.end(Worker(workspace).handle)
        between = (workspace / FILE).read_bytes()
        await shelf.clear("t2")

    assert between == DATA
    assert left(workspace) == set()


@requirement("bundle:deliver:ended")
async def test_a_day_later_a_bundle_is_gone(tmp_path: Path, workspace: Path) -> None:
    clock = ManualClock()
    async with shelf_in(tmp_path, now=clock.now) as shelf:
        (await deliver(shelf, Worker(workspace))).unwrap()
        clock.advance(RETENTION - timedelta(seconds=1))
        await shelf.sweep()
        young = (workspace / FILE).exists()
        clock.advance(timedelta(seconds=1))
        await shelf.sweep()

    assert young
    assert left(workspace) == set()


@requirement("bundle:place:retention")
@requirement("bundle:place:ours")
async def test_only_what_is_ours_and_old_goes_from_the_folder(
    tmp_path: Path, workspace: Path, outside: Path
) -> None:
    folder = workspace / FOLDER
    folder.mkdir(parents=True)
    old, young = "a" * 16, "b" * 16
    for name in (f"{old}.zip", f"{young}.zip", "notes.txt"):
        (folder / name).write_bytes(b"x")
    (folder / f"{'c' * 16}.zip").mkdir()
    (folder / f"{'d' * 16}.zip").symlink_to(outside / f"{BUNDLE}.zip")
    (workspace / ".kandev" / "other").write_bytes(b"x")
    day = RETENTION.total_seconds()
    now = SystemClock().now().timestamp()
    for path in folder.iterdir():
        age = day - 60 if path.name.startswith("b") else day + 60
        os.utime(path, (now - age, now - age), follow_symlinks=False)

    async with shelf_in(tmp_path) as shelf:
        (await deliver(shelf, Worker(workspace))).unwrap()
        await shelf.end(Worker(workspace).handle)

    assert left(workspace / ".kandev") == {
        "other",
        "diagnostics",
        "diagnostics/.gitignore",
        f"diagnostics/{young}.zip",
        "diagnostics/notes.txt",
        f"diagnostics/{'c' * 16}.zip",
        f"diagnostics/{'d' * 16}.zip",
    }
    assert left(outside) == {f"{BUNDLE}.zip"}


@requirement("bundle:deliver:hostile")
@pytest.mark.parametrize(
    ("place", "kind"),
    [
        *product([".kandev", FOLDER, f"{FOLDER}/.gitignore", FILE], ["link", "file", "pipe"]),
        *product([f"{FOLDER}/.gitignore", FILE], ["folder"]),
    ],
)
@pytest.mark.parametrize("unnamed", [True, False])
async def test_what_stands_in_the_way_refuses_the_bundle_and_stays(
    tmp_path: Path, workspace: Path, outside: Path, place: str, kind: str, unnamed: bool
) -> None:
    planted = workspace / place
    planted.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "link":
            planted.symlink_to(outside, target_is_directory=True)
        case "file":
            planted.write_bytes(b"theirs")
        case "folder":
            planted.mkdir()
        case _:
            os.mkfifo(planted)
    before = planted.lstat()

    async with shelf_in(tmp_path, unnamed=unnamed) as shelf:
        refused = await deliver(shelf, Worker(workspace))

    assert refused.failure().code is RuntimeCode.DESTINATION_UNSAFE
    assert planted.lstat().st_ino == before.st_ino
    assert (outside / f"{BUNDLE}.zip").read_bytes() == b"theirs"
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755
    assert left(outside) == {f"{BUNDLE}.zip"}
    assert not [name for name in left(workspace) if name.endswith(".tmp")]


@requirement("bundle:deliver:hostile")
async def test_a_folder_that_was_moved_away_gets_no_bundle(
    tmp_path: Path, workspace: Path, outside: Path
) -> None:
    async with shelf_in(tmp_path) as shelf:
        staged = (await stage(shelf, Worker(workspace))).unwrap()
        (workspace / ".kandev").rename(workspace / "moved")
        (workspace / ".kandev").symlink_to(outside, target_is_directory=True)
        refused = await shelf.commit(Worker(workspace), BUNDLE, staged.stage)

    assert refused.failure().code is RuntimeCode.DESTINATION_UNSAFE
    assert left(outside) == {f"{BUNDLE}.zip"}
    assert not list(workspace.rglob("*.zip"))


@requirement("bundle:deliver:full")
@pytest.mark.parametrize("unnamed", [True, False])
async def test_a_full_disk_refuses_and_keeps_nothing(
    tmp_path: Path, workspace: Path, unnamed: bool
) -> None:
    large = bytes(3_000_000)
    async with shelf_in(tmp_path, unnamed=unnamed) as shelf:
        with full_disk(len(large) // 2):
            refused = await deliver(shelf, Worker(workspace), large)
        after = left(workspace) | left(tmp_path / "bundles")
        (await deliver(shelf, Worker(workspace))).unwrap()
        with full_disk(len(large) // 2):
            await deliver(shelf, Worker(workspace), large)
        earlier = (workspace / FILE).read_bytes()

    assert refused.failure().code is RuntimeCode.DISK_FULL
    assert (after, earlier) == (set(), DATA)


@requirement("bundle:deliver:hidden")
@pytest.mark.parametrize("unnamed", [True, False])
@pytest.mark.parametrize("layout", ["plain", "worktree", "below", "negated", "excluded"])
async def test_git_sees_nothing_of_a_bundle(
    tmp_path: Path, workspace: Path, layout: str, unnamed: bool
) -> None:
    place = laid_out(tmp_path, workspace, layout)
    seen: list[str] = [status(place)]

    async def watched() -> AsyncIterator[bytes]:
        async for piece in pieces_of(DATA):
            seen.append(status(place))
            yield piece

    async with shelf_in(tmp_path, unnamed=unnamed) as shelf:
        staged = (await stage(shelf, Worker(place), DATA, watched())).unwrap()
        seen.append(status(place))
        (await shelf.commit(Worker(place), BUNDLE, staged.stage)).unwrap()
        seen.append(status(place))
        there = (place / FILE).exists()
        await shelf.end(Worker(place).handle)
        seen.append(status(place))

    assert there
    assert set(seen) == {""}


@requirement("bundle:deliver:hostile")
async def test_a_git_file_of_the_agent_leads_nowhere(
    tmp_path: Path, workspace: Path, outside: Path
) -> None:
    (workspace / ".git").write_text(f"gitdir: {outside}\n")
    async with shelf_in(tmp_path) as shelf:
        (await deliver(shelf, Worker(workspace))).unwrap()

    assert left(outside) == {f"{BUNDLE}.zip"}


def laid_out(tmp_path: Path, workspace: Path, layout: str) -> Path:
    """A clean checkout, and the directory of it that an agent works in."""
    git(workspace, "init", "-q")
    (workspace / "sub").mkdir()
    (workspace / "sub" / "file").write_text("x")
    if layout == "negated":
        (workspace / ".gitignore").write_text("!/.kandev/\n!*.zip\n")
    if layout == "excluded":
        (workspace / ".git" / "info" / "exclude").write_text("# /.kandev/\n")
    git(workspace, "add", ".")
    git(workspace, "commit", "-qm", "first")
    if layout == "worktree":
        git(workspace, "worktree", "add", "-q", str(tmp_path / "linked"))
        return tmp_path / "linked"
    return workspace / "sub" if layout == "below" else workspace


def git(place: Path, *arguments: str) -> str:
    named = ["-c", "user.name=t", "-c", "user.email=t@t"]
    done = subprocess.run(
        ["git", "-C", str(place), *named, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=isolated(place),
    )
    return done.stdout


def status(place: Path) -> str:
    return git(place, "status", "--porcelain", "-uall")
