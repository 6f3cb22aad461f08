"""Making the worktree of a task, beside `git worktree add` alone."""

import itertools
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from adapters.agentctl import wire
from adapters.agentctl.server.worktrees import Workspaces
from adapters.git.lock import worktree_lock
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from adapters.redactor.registry import Registry
from bench.harness import Benchmark, Pair
from bench.stage import folder, project
from domain.redaction import Redactor

__all__ = ("BENCHMARKS",)


def _create(files: int) -> Callable[[], AbstractContextManager[Pair]]:
    @contextmanager
    def prepare() -> Iterator[Pair]:
        with folder() as root:
            repository = project(root / "project", files)
            numbers = itertools.count()
            git = LocalGit(LocalProcesses(None), Registry(Redactor()))
            workspaces = Workspaces(git, worktree_lock)
            environment = dict(os.environ)

            async def ours() -> float:
                name = f"ours-{next(numbers)}"
                asked = _asked(root / name, repository, name)
                begun = time.perf_counter()
                (await workspaces.prepare(asked, environment)).unwrap()
                took = time.perf_counter() - begun
                _forget(repository, root / name)
                return took

            def bare() -> float:
                name = f"bare-{next(numbers)}"
                add = ["worktree", "add", "--quiet", "-b", name, str(root / name), "main"]
                begun = time.perf_counter()
                subprocess.run(["git", *add], cwd=repository, check=True, capture_output=True)
                took = time.perf_counter() - begun
                _forget(repository, root / name)
                return took

            yield Pair(ours, bare)

    return prepare


def _asked(workspace: Path, repository: Path, branch: str) -> wire.Create:
    return wire.Create(
        execution="e",
        task="t",
        session="s",
        agent="none",
        command=["/bin/true"],
        hard_stop=False,
        executor="worktree",
        workspace=str(workspace),
        checkouts=[wire.Checkout("r", str(repository), "", branch, "main")],
        layers=[],
        managed=None,
        removes=[],
        acp_session=None,
        approve_automatically=False,
    )


def _forget(repository: Path, worktree: Path) -> None:
    remove = ["git", "worktree", "remove", "--force", str(worktree)]
    subprocess.run(remove, cwd=repository, check=True, capture_output=True)


BENCHMARKS: Final = (
    Benchmark("worktrees.create_1000", 1.1, _create(1_000), rounds=15),
    Benchmark("worktrees.create_20000", 1.1, _create(20_000), rounds=5),
)
