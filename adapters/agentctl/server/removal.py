"""Take a task's worktrees away, and bring them back: work is kept in a ref before it is removed.

Nothing is forced. What was kept becomes the worktree's HEAD, so that git, which removes only what
is clean, refuses when something was written after that; the worktree is then as it was.
"""

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from adapters.agentctl import wire
from adapters.agentctl.server import worktree_files
from adapters.agentctl.server.cleanup import Clean, Cleanups
from adapters.agentctl.server.worktree_files import Found
from adapters.agentctl.server.worktree_git import WorktreeGit, WorktreeRefusedError, busy
from domain.bundle_path import FOLDER, is_ours
from domain.identity import TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.worktree_backup import Head, head_of, message, ref_name, refs_of
from ports.git import GitProcess, RepositoryLock
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Removal",)

_STATUS: Final = ("status", "--porcelain", "-z", "--untracked-files=all")


@dataclass(frozen=True, slots=True)
class Removal:
    """`host` is the environment of agentctl's own process; `now` is UTC."""

    git: GitProcess
    host: Mapping[str, str]
    now: Callable[[], datetime]
    cleanups: Cleanups
    lock: RepositoryLock

    async def remove(self, asked: wire.Worktrees) -> Result[list[wire.Kept], RuntimeProblem]:
        """Clean and remove each worktree that is there; what was kept. At a refusal the rest stays.

        What cannot be removed is not cleaned either.
        """
        git = WorktreeGit(self.git, self.host)
        kept: list[wire.Kept] = []
        try:
            async with self.cleanups.ready(asked) as clean:
                for checkout in asked.checkouts:
                    path = Path(asked.workspace) / checkout.folder
                    ref = await self._remove(git, TaskId(asked.task), path, checkout, clean)
                    if ref is not None:
                        kept.append(wire.Kept(checkout.repository, ref))
        except WorktreeRefusedError as refused:
            return Failure(refused.problem)
        worktree_files.vacate(Path(asked.workspace))
        return Success(kept)

    async def restore(self, asked: wire.Worktrees) -> Result[list[wire.Kept], RuntimeProblem]:
        """Bring back the newest of what was kept of each worktree that is not there."""
        git = WorktreeGit(self.git, self.host)
        restored: list[wire.Kept] = []
        try:
            for checkout in asked.checkouts:
                path = Path(asked.workspace) / checkout.folder
                ref = await _newest(git, checkout.source, TaskId(asked.task))
                if ref is None or worktree_files.look(path, Path(checkout.source)) is Found.OURS:
                    continue
                async with self._alone(checkout.source):
                    await _bring_back(git, ref, path, checkout.source)
                restored.append(wire.Kept(checkout.repository, ref))
        except WorktreeRefusedError as refused:
            return Failure(refused.problem)
        return Success(restored)

    async def _remove(
        self, git: WorktreeGit, task: TaskId, path: Path, checkout: wire.Checkout, clean: Clean
    ) -> str | None:
        source = checkout.source
        found = worktree_files.look(path, Path(source))
        if found is Found.NOTHING:
            return None
        admin = worktree_files.admin_of(path)
        if found is Found.OTHER or admin is None or not worktree_files.names(admin, path):
            raise WorktreeRefusedError(_not_ours(path))
        _refuse_locked(path, source, admin)
        if (admin / "modules").exists():
            raise WorktreeRefusedError(_nested(path, "a submodule"))
        ref = None
        directory = str(path)
        # The lock is not held while a script of the repository's runs, which may take minutes.
        async with self._alone(source):
            _refuse_nested(path, await git.must(directory, *_STATUS))
        await clean(checkout, path)
        async with self._alone(source):
            status = await git.must(directory, *_STATUS)
            _refuse_nested(path, status)
            head = await _head(git, directory)
            if status or not await _is_safe(git, directory, head, task):
                ref = await self._keep(git, task, path, head, admin / "index")
            else:
                await git.must(source, "worktree", "remove", directory)
        return ref

    @asynccontextmanager
    async def _alone(self, source: str) -> AsyncGenerator[None]:
        """While no other process makes or removes worktrees of the repository."""
        async with self.lock(source) as locked:
            if failed(locked):
                raise WorktreeRefusedError(busy(source))
            yield

    async def _keep(
        self, git: WorktreeGit, task: TaskId, path: Path, head: Head, index: Path
    ) -> str:
        """Keep it in a ref, and remove it unless it changed meanwhile."""
        directory, ref = str(path), ref_name(task, self.now())
        saved = _bytes(index)
        removed = False
        try:
            await _leave_bundles_out(git, directory)
            commit = await _snapshot(git, directory, head)
            await git.must(directory, "update-ref", ref, commit, "")
            await git.must(directory, "update-ref", "--no-deref", "HEAD", commit)
            await git.must(directory, "worktree", "remove", directory)
            removed = True
        finally:
            if not removed:
                await _put_back(git, directory, head, index, saved)
        return ref


async def _leave_bundles_out(git: WorktreeGit, directory: str) -> None:
    """A bundle that an agent put into the index is evidence, and no work."""
    listed = await git.must(directory, "ls-files", "-z", "--", "/".join(FOLDER))
    ours = [path for path in listed.split("\0") if is_ours(path.rpartition("/")[2])]
    if ours:
        await git.must(directory, "rm", "--cached", "--quiet", "--force", "--", *ours)


async def _snapshot(git: WorktreeGit, directory: str, head: Head) -> str:
    """A commit of the working tree whose last parent is one of the index."""
    said = message(head).encode()
    first = ["-p", head.commit] if head.commit is not None else []
    # An index with conflicts has no tree; what is kept of it are the files that show them.
    staged = await git.ask(directory, "write-tree")
    await git.must(directory, "add", "--all")
    tree = await git.must(directory, "write-tree")
    before = tree if failed(staged) else staged.unwrap()
    index = await git.must(directory, "commit-tree", before, *first, stdin=said)
    return await git.must(directory, "commit-tree", tree, *first, "-p", index, stdin=said)


async def _put_back(
    git: WorktreeGit, directory: str, head: Head, index: Path, saved: bytes | None
) -> None:
    """HEAD and the index as they were; the files were never touched."""
    if head.branch is not None:
        await git.ask(directory, "symbolic-ref", "HEAD", head.branch)
    elif head.commit is not None:
        await git.ask(directory, "update-ref", "--no-deref", "HEAD", head.commit)
    if saved is not None:
        _write(index, saved)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes) -> None:
    """In one step; nothing when its directory is gone."""
    if path.parent.is_dir():
        beside = path.with_name(f"{path.name}.kandev")
        beside.write_bytes(content)
        beside.replace(path)


async def _head(git: WorktreeGit, directory: str) -> Head:
    branch = await git.ask(directory, "symbolic-ref", "--quiet", "HEAD")
    commit = await git.ask(directory, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return Head(
        None if failed(commit) else commit.unwrap(), None if failed(branch) else branch.unwrap()
    )


async def _is_safe(git: WorktreeGit, directory: str, head: Head, task: TaskId) -> bool:
    """Whether a remote has every commit, or an earlier removal kept this very one."""
    if head.commit is None:
        return False
    newest = await _newest(git, directory, task)
    if newest is not None and head.branch is None:
        kept = await git.must(directory, "rev-parse", newest)
        if kept == head.commit:
            return True
    unpushed = await git.must(
        directory, "rev-list", "--max-count=1", head.commit, "--not", "--remotes"
    )
    return not unpushed


async def _newest(git: WorktreeGit, directory: str, task: TaskId) -> str | None:
    refs = await git.must(directory, "for-each-ref", "--format=%(refname)", refs_of(task))
    return max(refs.splitlines(), default=None)


async def _bring_back(git: WorktreeGit, ref: str, path: Path, source: str) -> None:
    """A worktree with the files, the index and the branch that were kept."""
    head = head_of(await git.must(source, "log", "-1", "--format=%B", ref))
    start = head.commit or ref
    branch = (head.branch or "").removeprefix("refs/heads/")
    tip = await git.ask(source, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
    if branch and head.commit and failed(tip):
        begin = ["--no-track", "-b", branch, str(path), start]
    elif branch and not failed(tip) and tip.unwrap() == head.commit:
        begin = [str(path), branch]
    else:
        begin = ["--detach", str(path), start]
    await git.must(source, "worktree", "prune")
    await git.must(source, "worktree", "add", "--quiet", *begin)
    await git.must(str(path), "read-tree", "--reset", "-u", ref)
    parents = (await git.must(source, "log", "-1", "--format=%P", ref)).split()
    await git.must(str(path), "read-tree", "--reset", parents[-1])
    await git.ask(str(path), "update-index", "-q", "--refresh")


def _refuse_nested(path: Path, status: str) -> None:
    """Git would keep the name of an embedded repository, and nothing that is in it."""
    for entry in status.split("\0"):
        if entry.startswith("?? ") and entry.endswith("/"):
            raise WorktreeRefusedError(
                _nested(path, os.fsencode(entry[3:]).decode("utf-8", "replace"))
            )


def _refuse_locked(path: Path, source: str, admin: Path) -> None:
    reason = worktree_files.lock_of(admin)
    if reason is not None:
        told = f" ({reason})" if reason else ""
        detail = (
            f"{path} is locked{told}\nIf nobody needs it: git -C {source} worktree unlock {path}"
        )
        raise WorktreeRefusedError(RuntimeProblem(RuntimeCode.WORKTREE_LOCKED, detail))


def _nested(path: Path, what: str) -> RuntimeProblem:
    detail = f"{path} holds a repository of its own: {what}\nMove it elsewhere, then try again."
    return RuntimeProblem(RuntimeCode.WORKTREE_NESTED, detail)


def _not_ours(path: Path) -> RuntimeProblem:
    """Of another repository, or of none that knows it: nothing in it is touched."""
    foreign = (path / ".git").exists()
    code = RuntimeCode.WORKTREE_FOREIGN if foreign else RuntimeCode.WORKTREE_UNREGISTERED
    what = "belongs to another repository" if foreign else "is no worktree of the repository"
    detail = f"{path} {what}\nLook what it holds, move it elsewhere, then try again."
    return RuntimeProblem(code, detail)
