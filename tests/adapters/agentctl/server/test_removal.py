"""Worktrees that are removed and brought back, with real git and no agent in them."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.agentctl import wire
from domain.bundle_path import segments
from domain.outcome import failed
from ports.git import GitProcess
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House, furnished, git
from tests.adapters.agentctl.server.shelves import BUNDLE, DATA, Worker, deliver
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
def source(source: Path) -> Path:
    return furnished(source)


@pytest.fixture
def tree(house: House, source: Path) -> Path:
    """A worktree of the task, on a branch of its own."""
    path = house.workspace
    git(source, "worktree", "add", "-q", "-b", "feature/a", str(path))
    return path


def _asked(house: House, source: Path) -> wire.Worktrees:
    checkout = wire.Checkout("r1", str(source), "", "feature/a", "main")
    return wire.Worktrees("t1", str(house.workspace), [checkout])


def _refs(source: Path) -> list[str]:
    return git(source, "for-each-ref", "--format=%(refname)", "refs/kandev").splitlines()


def _work(tree: Path) -> None:
    """Every kind of work: committed, staged, changed after that, deleted, untracked, ignored."""
    git(tree, "commit", "-q", "--allow-empty", "-m", "second")
    (tree / "file").write_text("staged\n")
    git(tree, "add", "file")
    (tree / "file").write_text("after staging\n")
    (tree / "gone").unlink()
    (tree / "new folder").mkdir()
    (tree / "new folder" / "new\tfile").write_text("new\n")
    (tree / "ignored").write_text("ignored\n")


@requirement("worktrees:removal:keeps")
@requirement("worktrees:restore")
async def test_work_of_every_kind_comes_back_as_it_was(
    house: House, source: Path, tree: Path
) -> None:
    _work(tree)
    before = git(tree, "status", "--porcelain", "--branch"), git(tree, "diff", "--cached")
    tip = git(tree, "rev-parse", "HEAD")

    kept = (await house.removal.remove(_asked(house, source))).unwrap()

    assert not tree.exists()
    assert [each.ref for each in kept] == _refs(source)
    assert kept[0].ref.startswith("refs/kandev/backup/t1/")
    assert git(source, "rev-parse", "feature/a") == tip

    (await house.removal.restore(_asked(house, source))).unwrap()

    assert (
        git(tree, "status", "--porcelain", "--branch"),
        git(tree, "diff", "--cached"),
    ) == before
    assert (tree / "file").read_text() == "after staging\n"
    assert (tree / "new folder" / "new\tfile").read_text() == "new\n"
    assert not (tree / "ignored").exists()


@requirement("worktrees:removal:keeps")
async def test_commits_that_no_remote_has_are_kept(house: House, source: Path, tree: Path) -> None:
    git(tree, "checkout", "-q", "--detach")
    git(tree, "commit", "-q", "--allow-empty", "-m", "only here")
    tip = git(tree, "rev-parse", "HEAD")

    (await house.removal.remove(_asked(house, source))).unwrap()

    [ref] = _refs(source)
    assert git(source, "rev-parse", f"{ref}^1") == tip


@requirement("worktrees:removal:keeps")
async def test_what_is_clean_and_pushed_leaves_nothing(
    house: House, source: Path, tree: Path
) -> None:
    git(source, "update-ref", "refs/remotes/origin/feature/a", "feature/a")

    assert (await house.removal.remove(_asked(house, source))).unwrap() == []

    assert not tree.exists()
    assert _refs(source) == []
    assert git(source, "worktree", "list").count("\n") == 0


@requirement("worktrees:removal:keeps")
async def test_a_conflict_is_kept_with_the_files_that_show_it(
    house: House, source: Path, tree: Path
) -> None:
    (source / "file").write_text("ours\n")
    git(source, "commit", "-q", "-a", "-m", "ours")
    (tree / "file").write_text("theirs\n")
    git(tree, "commit", "-q", "-a", "-m", "theirs")
    with pytest.raises(subprocess.CalledProcessError):
        git(tree, "merge", "main")
    conflict = (tree / "file").read_text()

    (await house.removal.remove(_asked(house, source))).unwrap()
    (await house.removal.restore(_asked(house, source))).unwrap()

    assert "<<<<<<<" in conflict
    assert (tree / "file").read_text() == conflict


@requirement("worktrees:removal:keeps")
async def test_no_hook_of_the_repository_runs(house: House, source: Path, tree: Path) -> None:
    hook = source / ".git" / "hooks" / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {source}/ran\n")
    hook.chmod(0o755)
    _work(tree)
    (source / "ran").unlink(missing_ok=True)

    (await house.removal.remove(_asked(house, source))).unwrap()

    assert not (source / "ran").exists()


def _lock(source: Path, tree: Path) -> None:
    git(source, "worktree", "lock", "--reason", "on a stick", str(tree))


def _foreign(_: Path, tree: Path) -> None:
    (tree / ".git").unlink()
    git(tree, "init", "-q")


def _unregistered(_: Path, tree: Path) -> None:
    (tree / ".git").unlink()


def _embedded(_: Path, tree: Path) -> None:
    (tree / "inner").mkdir()
    git(tree / "inner", "init", "-q")
    (tree / "inner" / "work").write_text("work")


def _forgotten(source: Path, tree: Path) -> None:
    """The repository knows the worktree at another place: this one is a copy."""
    moved = tree.with_name("moved")
    git(source, "worktree", "move", str(tree), str(moved))
    subprocess.run(["cp", "-r", str(moved), str(tree)], check=True)


@requirement("worktrees:removal:refused")
@pytest.mark.parametrize(
    ("spoil", "code", "remedy"),
    [
        (_lock, RuntimeCode.WORKTREE_LOCKED, "worktree unlock"),
        (_foreign, RuntimeCode.WORKTREE_FOREIGN, "move it elsewhere"),
        (_unregistered, RuntimeCode.WORKTREE_UNREGISTERED, "move it elsewhere"),
        (_forgotten, RuntimeCode.WORKTREE_FOREIGN, "move it elsewhere"),
        (_embedded, RuntimeCode.WORKTREE_NESTED, "Move it elsewhere"),
    ],
)
async def test_a_directory_that_is_not_simply_ours_stays(
    house: House,
    source: Path,
    tree: Path,
    spoil: Callable[[Path, Path], None],
    code: RuntimeCode,
    remedy: str,
) -> None:
    _work(tree)
    spoil(source, tree)
    before = sorted(path for path in tree.rglob("*") if ".git" not in path.parts)

    problem = (await house.removal.remove(_asked(house, source))).failure()

    assert problem.code is code
    assert remedy in problem.detail
    assert sorted(path for path in tree.rglob("*") if ".git" not in path.parts) == before
    assert (tree / "file").read_text() == "after staging\n"
    assert _refs(source) == []


class WritingGit:
    """Git beside a program that writes to the worktree just before it is removed."""

    def __init__(self, git: GitProcess, file: Path) -> None:
        self._git = git
        self._file = file

    async def __call__(self, arguments: list[str], **rest: object) -> object:
        if "remove" in arguments:
            self._file.write_text("written late\n")
        return await self._git(arguments, **rest)  # type: ignore[arg-type]  # passed through


@requirement("worktrees:removal:refused")
async def test_what_is_written_to_meanwhile_stays_as_it_was(
    house: House, source: Path, tree: Path
) -> None:
    _work(tree)
    before = git(tree, "status", "--porcelain", "--branch"), git(tree, "diff", "--cached")
    late = WritingGit(house.removal.git, tree / "late")
    removal = replace(house.removal, git=late)  # type: ignore[arg-type]  # a git of the test's

    assert failed(await removal.remove(_asked(house, source)))

    assert (tree / "late").read_text() == "written late\n"
    (tree / "late").unlink()
    assert (
        git(tree, "status", "--porcelain", "--branch"),
        git(tree, "diff", "--cached"),
    ) == before


@requirement("worktrees:restore")
async def test_a_branch_that_moved_stays_where_it_is(
    house: House, source: Path, tree: Path
) -> None:
    _work(tree)
    tip = git(tree, "rev-parse", "HEAD")
    (await house.removal.remove(_asked(house, source))).unwrap()
    git(source, "branch", "-f", "feature/a", "main")

    (await house.removal.restore(_asked(house, source))).unwrap()

    assert git(tree, "rev-parse", "HEAD") == tip
    assert git(source, "rev-parse", "feature/a") == git(source, "rev-parse", "main")
    assert (tree / "file").read_text() == "after staging\n"


@requirement("worktrees:restore")
async def test_a_branch_that_was_deleted_comes_back(house: House, source: Path, tree: Path) -> None:
    _work(tree)
    (await house.removal.remove(_asked(house, source))).unwrap()
    git(source, "branch", "-D", "feature/a")

    (await house.removal.restore(_asked(house, source))).unwrap()

    assert git(tree, "symbolic-ref", "--short", "HEAD") == "feature/a"


@requirement("worktrees:removal:keeps")
async def test_a_worktree_that_is_not_there_is_removed_already(house: House, source: Path) -> None:
    assert (await house.removal.remove(_asked(house, source))).unwrap() == []


@requirement("bundle:deliver:backup")
@requirement("bundle:deliver:ended")
@pytest.mark.parametrize("added", [False, True])
async def test_no_bundle_is_in_what_is_kept(
    house: House, source: Path, tree: Path, added: bool
) -> None:
    (await deliver(house.bundles, Worker(tree))).unwrap()
    bundle = tree.joinpath(*segments(BUNDLE))
    _work(tree)
    if added:
        git(tree, "add", "-f", str(bundle))
    there = bundle.read_bytes() == DATA

    await house.bundles.clear("t1")
    (await house.removal.remove(_asked(house, source))).unwrap()

    (kept,) = _refs(source)
    listed = git(source, "log", "-m", "--all", "--name-only", "--format=", kept)
    assert there
    assert "new folder" in listed
    assert ".zip" not in listed
