"""Discard changes of a checkout that an agent may be working in, and lose nothing by it.

What goes is committed to a ref of its own from an index of ours. Then git moves the files from that
commit to what HEAD has, and refuses where one is no longer what was kept.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from adapters.agentctl.server.worktree_git import AUTHOR, SETTINGS
from domain import git_status
from domain.git_change import CHANGE_SECONDS
from domain.git_failure import GitCode, GitFailure
from domain.git_status import ChangedPath
from domain.identity import TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.worktree_backup import Head, discard_ref, message
from ports.git import GitProcess

__all__ = ("Discarding",)

_LISTED: Final = ("--pathspec-from-file=-", "--pathspec-file-nul")


@dataclass(frozen=True, slots=True)
class Discarding:
    """`now` is UTC."""

    git: GitProcess
    now: Callable[[], datetime]

    async def __call__(
        self,
        directory: str,
        environment: Mapping[str, str],
        task: TaskId,
        paths: Sequence[str] | None,
    ) -> Result[str | None, GitFailure]:
        """Discard what differs from HEAD in these paths, or everywhere; the ref that keeps it.

        None when nothing differs. Files that git ignores are no changes.
        """
        try:
            with tempfile.TemporaryDirectory(prefix="kandev-discard-") as private:
                work = _Work(self.git, directory, environment, Path(private))
                return Success(await self._discard(work, task, paths))
        except _RefusedError as refused:
            return Failure(refused.failure)

    async def _discard(
        self, work: "_Work", task: TaskId, paths: Sequence[str] | None
    ) -> str | None:
        changed = list(git_status.entries(await work.must(*git_status.ARGUMENTS)))
        chosen = [each for each in changed if _is_named(each, paths)]
        wanted = sorted({path for each in chosen for path in (each.path, each.origin) if path})
        if not wanted:
            return None
        head = await work.head()
        kept = await work.index("kept")
        await kept.on(_present(chosen), "add", "--all", "--force")
        tree = await kept.must("write-tree")
        ref = discard_ref(task, self.now())
        await work.must("update-ref", ref, await _commit(work, head, tree), "")

        bare = await kept.copy("bare")
        await bare.on(wanted, "reset", "--quiet")
        moved = await kept.ask("read-tree", "-m", "-u", tree, await bare.must("write-tree"))
        if failed(moved):
            raise _RefusedError(replace(moved.failure(), code=GitCode.CHANGED_MEANWHILE))
        await work.on(wanted, "reset", "--quiet")
        return ref


@dataclass(frozen=True, slots=True)
class _Work:
    """Git in the checkout, without its hooks; on its own index, or on one in `private`."""

    git: GitProcess
    directory: str
    environment: Mapping[str, str] = field(repr=False)
    private: Path
    file: Path | None = None

    async def ask(self, *arguments: str, stdin: bytes = b"") -> Result[str, GitFailure]:
        done = await self.git(
            [*SETTINGS, *arguments],
            directory=self.directory,
            environment={**self.environment, **AUTHOR},
            seconds=CHANGE_SECONDS,
            stdin=stdin,
            index=str(self.file) if self.file is not None else None,
        )
        return done.map(lambda completed: completed.stdout.removesuffix("\n"))

    async def must(self, *arguments: str, stdin: bytes = b"") -> str:
        done = await self.ask(*arguments, stdin=stdin)
        if failed(done):
            raise _RefusedError(done.failure())
        return done.unwrap()

    async def on(self, paths: Sequence[str], *arguments: str) -> None:
        if paths:
            listed = "\0".join(paths).encode("utf-8", "surrogateescape")
            await self.must("--literal-pathspecs", *arguments, *_LISTED, stdin=listed)

    async def index(self, name: str) -> "_Work":
        """The same on a copy of the checkout's index."""
        told = await self.must("rev-parse", "--git-path", "index")
        return self._copied(Path(self.directory, told), name)

    async def copy(self, name: str) -> "_Work":
        assert self.file is not None, "only an index of ours is copied on"
        return self._copied(self.file, name)

    def _copied(self, index: Path, name: str) -> "_Work":
        file = self.private / name
        with suppress(FileNotFoundError):
            shutil.copyfile(index, file)
        return replace(self, file=file)

    async def head(self) -> Head:
        branch = await self.ask("symbolic-ref", "--quiet", "HEAD")
        commit = await self.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return Head(
            None if failed(commit) else commit.unwrap(), None if failed(branch) else branch.unwrap()
        )


class _RefusedError(Exception):
    """Ends the work at the step that git refused."""

    def __init__(self, failure: GitFailure) -> None:
        super().__init__(failure.code)
        self.failure = failure


async def _commit(work: _Work, head: Head, tree: str) -> str:
    """A commit of the files whose last parent is one of what was staged."""
    said = message(head).encode()
    first = ["-p", head.commit] if head.commit is not None else []
    staged = await work.ask("write-tree")
    before = tree if failed(staged) else staged.unwrap()
    index = await work.must("commit-tree", before, *first, stdin=said)
    return await work.must("commit-tree", tree, *first, "-p", index, stdin=said)


def _is_named(changed: ChangedPath, paths: Sequence[str] | None) -> bool:
    """Whether it is chosen, or lies in a directory that is; never a repository of its own."""
    if changed.path.endswith("/"):
        return False
    below = tuple(f"{path}/" for path in paths or ())
    return paths is None or changed.path in paths or changed.path.startswith(below)


def _present(changed: Sequence[ChangedPath]) -> Sequence[str]:
    """Those that git can add: in the index or among the files."""
    moved = {each.origin for each in changed if each.origin and each.worktree == "R"}
    there = {each.path for each in changed if (each.index, each.worktree) != ("D", ".")}
    return sorted(there | moved)
