"""The checkouts of an instance: a worktree for each repository, or the user's own checkout.

A worktree that is already there is used as it is. What this launch made is unmade when the launch
fails, but never work: once an agent has run, git is asked to refuse what is not committed.
"""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from adapters.agentctl import wire
from adapters.agentctl.checkout_wire import Parity
from adapters.agentctl.server import copied_files, worktree_files
from adapters.agentctl.server.parity import Comparing
from adapters.agentctl.server.worktree_files import Found
from adapters.agentctl.server.worktree_git import busy
from adapters.agentctl.server.worktree_refusals import refusal, unwritable
from domain.copy_files import CopyEntry, CopyWarning
from domain.execution import ExecutorType
from domain.git_failure import GitCode, GitFailure
from domain.outcome import Failure, Result, Success, failed
from ports.git import GitProcess, RepositoryLock
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Place", "Workspace", "Workspaces", "checkouts", "misplaced", "places")

CHECKOUT_SECONDS: Final = 600.0
"""For a checkout of any size."""

QUESTION_SECONDS: Final = 10.0
"""For a question that git answers from the repository itself."""


@dataclass(frozen=True, slots=True)
class _Made:
    checkout: wire.Checkout
    path: Path
    branch: bool


class Fallback(NamedTuple):
    """The branch of this repository begins at `used`, since `asked` is not there."""

    repository: str
    asked: str
    used: str


@dataclass(slots=True)
class Workspace:
    """Where the agent works, and what was made for it. `worked`: an agent or script has run in it.

    `warnings` are about files that a new worktree should have been given, `fallbacks` about bases,
    `parity` about how new worktrees differ from fresh checkouts.
    """

    directory: Path
    worked: bool = False
    made: list[_Made] = field(default_factory=list)
    directories: list[Path] = field(default_factory=list)
    warnings: list[CopyWarning] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    parity: list[Parity] = field(default_factory=list)

    def keep(self) -> None:
        """Nothing of it is taken back."""
        self.made.clear()
        self.directories.clear()

    def begun(self, asked: wire.Create) -> wire.Create:
        """What was asked for, each base that which was used."""
        used = {each.repository: each.used for each in self.fallbacks}
        begun = [
            msgspec.structs.replace(each, base=used.get(each.repository, each.base))
            for each in asked.checkouts
        ]
        return msgspec.structs.replace(asked, checkouts=begun)


@dataclass(frozen=True, slots=True)
class Workspaces:
    """Makes and unmakes workspaces with a git that runs in the instance's own environment."""

    git: GitProcess
    lock: RepositoryLock

    async def prepare(
        self, asked: wire.Create, environment: Mapping[str, str]
    ) -> Result[Workspace, RuntimeProblem]:
        """The workspace of an instance; after a failure or a cancellation nothing of it is left."""
        if asked.executor == ExecutorType.LOCAL and asked.checkouts:
            return await self._own_checkout(asked, environment)
        workspace = Workspace(_directory(asked))
        done = False
        try:
            made = await self._make(asked, environment, workspace)
            done = not failed(made)
            return made.map(lambda _: workspace)
        finally:
            if not done:
                await self.unmake(workspace, environment)

    async def unmake(self, workspace: Workspace, environment: Mapping[str, str]) -> None:
        """Take back what was made; where an agent has worked nothing is forced."""
        for made in reversed(workspace.made):
            # Without the lock too: what a failed launch leaves would stand in the next one's way.
            async with self.lock(made.checkout.source):
                await self._remove(made, environment, worked=workspace.worked)
        workspace.made.clear()
        for directory in reversed(workspace.directories):
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()
        workspace.directories.clear()

    async def _own_checkout(
        self, asked: wire.Create, environment: Mapping[str, str]
    ) -> Result[Workspace, RuntimeProblem]:
        """The user's checkout as it is; no branch is checked out in it for a task."""
        checkout = asked.checkouts[0]
        directory = Path(checkout.source)
        if not await asyncio.to_thread(directory.is_dir):
            detail = f"{directory} is no directory"
            return Failure(RuntimeProblem(RuntimeCode.WORKTREE, detail))
        question = ["symbolic-ref", "--quiet", "--short", "HEAD"]
        if checkout.existing:
            on = await self._ask(question, checkout, environment)
            if failed(on) or on.unwrap() != checkout.branch:
                detail = f"{directory} is not on the branch {checkout.branch}\nCheck it out there."
                return Failure(RuntimeProblem(RuntimeCode.WORKTREE, detail))
        return Success(Workspace(directory))

    async def _make(
        self, asked: wire.Create, environment: Mapping[str, str], workspace: Workspace
    ) -> Result[None, RuntimeProblem]:
        root = Path(asked.workspace)
        try:
            _make_directories(root, workspace.directories)
        except OSError as error:
            return Failure(unwritable(root, error))
        for checkout in asked.checkouts:
            added = await self._add(checkout, root / checkout.folder, environment, workspace)
            if failed(added):
                return added
        return Success(None)

    async def _add(
        self,
        checkout: wire.Checkout,
        path: Path,
        environment: Mapping[str, str],
        workspace: Workspace,
    ) -> Result[None, RuntimeProblem]:
        if worktree_files.look(path, Path(checkout.source)) is Found.OURS:
            return Success(None)
        async with self.lock(checkout.source) as locked:
            if failed(locked):
                return Failure(busy(checkout.source))
            added = await self._add_alone(checkout, path, environment, workspace)
        if failed(added) or not added.unwrap():
            return added.map(lambda _: None)
        entries = [CopyEntry(each.pattern, each.symlink) for each in checkout.copies]
        workspace.warnings += await asyncio.to_thread(
            copied_files.give, entries, Path(checkout.source), path
        )
        differences = await Comparing(self.git, checkout, path, environment)()
        if differences:
            workspace.parity.append(Parity(checkout.repository, differences))
        return Success(None)

    async def _add_alone(
        self,
        checkout: wire.Checkout,
        path: Path,
        environment: Mapping[str, str],
        workspace: Workspace,
    ) -> Result[bool, RuntimeProblem]:
        """Whether the worktree was made, and was not there already."""
        found = worktree_files.look(path, Path(checkout.source))
        if found is Found.OURS:
            return Success(False)
        if found is Found.OTHER:
            return Failure(refusal(GitFailure(GitCode.EXISTS, ""), checkout, path))
        if found is Found.HALF_MADE:
            remove = ["remove", "--force", "--force", str(path)]
            await self._worktree(remove, checkout, environment)
        workspace.made.append(_Made(checkout, path, branch=True))
        added, attempt = await self._begin(checkout, path, environment, workspace)
        if failed(added) and await self._has_branch(added.failure(), checkout, environment):
            workspace.made[-1] = _Made(checkout, path, branch=False)
            attempt = [str(path), checkout.branch]
            added = await self._worktree(["add", "--quiet", *attempt], checkout, environment)
        if failed(added) and _is_missing(added.failure()):
            # Its directory was deleted: there is nothing in it to lose, and git removes no other.
            worktree_files.vacate(path)
            await self._worktree(["remove", str(path)], checkout, environment)
            added = await self._worktree(["add", "--quiet", *attempt], checkout, environment)
        if failed(added):
            return Failure(refusal(added.failure(), checkout, path))
        if checkout.existing and not workspace.made[-1].branch:
            await self._advance(checkout, path, environment)
        begun = workspace.made[-1].checkout
        if begun.base != checkout.base:
            used = await self._named(begun, environment)
            workspace.fallbacks.append(Fallback(checkout.repository, checkout.base, used))
        return Success(True)

    async def _begin(
        self,
        checkout: wire.Checkout,
        path: Path,
        environment: Mapping[str, str],
        workspace: Workspace,
    ) -> tuple[Result[None, GitFailure], list[str]]:
        """A new branch at the first base that is there, and how it was asked for last."""
        bases = [checkout.base, *checkout.fallbacks]
        while True:
            base = bases.pop(0)
            begun = msgspec.structs.replace(checkout, base=base)
            workspace.made[-1] = _Made(begun, path, branch=True)
            attempt = ["--no-track", "-b", checkout.branch, str(path), base]
            added = await self._worktree(["add", "--quiet", *attempt], checkout, environment)
            missing = failed(added) and added.failure().code is GitCode.UNKNOWN_BRANCH
            if not missing or not bases:
                return added, attempt

    async def _advance(
        self, checkout: wire.Checkout, path: Path, environment: Mapping[str, str]
    ) -> None:
        """Bring the branch forward to its base; one that has more than that stays as it is."""
        closed = ["-c", "core.hooksPath=/dev/null"]
        await self.git(
            [*closed, "merge", "--quiet", "--ff-only", checkout.base],
            directory=str(path),
            environment=environment,
            seconds=CHECKOUT_SECONDS,
        )

    async def _named(self, checkout: wire.Checkout, environment: Mapping[str, str]) -> str:
        """What the base is the name of, such as the default branch of a remote."""
        question = ["rev-parse", "--abbrev-ref", checkout.base]
        name = await self._ask(question, checkout, environment)
        return checkout.base if failed(name) else name.unwrap() or checkout.base

    async def _has_branch(
        self, failure: GitFailure, checkout: wire.Checkout, environment: Mapping[str, str]
    ) -> bool:
        """Whether a new branch could not be made because there is one of that name."""
        if failure.code is not GitCode.EXISTS:
            return False
        reference = f"refs/heads/{checkout.branch}"
        question = ["show-ref", "--verify", "--quiet", reference]
        return not failed(await self._ask(question, checkout, environment))

    async def _remove(self, made: _Made, environment: Mapping[str, str], *, worked: bool) -> None:
        # Twice: a worktree that git was killed in is locked as well.
        force = [] if worked else ["--force", "--force"]
        remove = ["remove", *force, str(made.path)]
        removed = await self._worktree(remove, made.checkout, environment)
        if failed(removed) and made.path.exists():
            if worked:
                return
            shutil.rmtree(made.path, ignore_errors=True)
            await self._worktree(remove, made.checkout, environment)
        if made.branch:
            await self._forget_branch(made.checkout, environment)

    async def _forget_branch(self, checkout: wire.Checkout, environment: Mapping[str, str]) -> None:
        """Delete the branch unless it moved from where it began."""
        question = ["rev-parse", "--verify", "--quiet", f"{checkout.base}^{{commit}}"]
        base = await self._ask(question, checkout, environment)
        if not failed(base):
            branch = f"refs/heads/{checkout.branch}"
            await self._ask(["update-ref", "-d", branch, base.unwrap()], checkout, environment)

    async def _worktree(
        self, arguments: Sequence[str], checkout: wire.Checkout, environment: Mapping[str, str]
    ) -> Result[None, GitFailure]:
        done = await self.git(
            ["worktree", *arguments],
            directory=checkout.source,
            environment=environment,
            seconds=CHECKOUT_SECONDS,
        )
        return done.map(lambda _: None)

    async def _ask(
        self, arguments: Sequence[str], checkout: wire.Checkout, environment: Mapping[str, str]
    ) -> Result[str, GitFailure]:
        answered = await self.git(
            arguments,
            directory=checkout.source,
            environment=environment,
            seconds=QUESTION_SECONDS,
        )
        return answered.map(lambda completed: completed.stdout.strip())


def checkouts(asked: wire.Create) -> dict[str, str]:
    """The directories that git works in, by the name of their folder below the workspace."""
    if asked.executor == ExecutorType.LOCAL and asked.checkouts:
        return {"": asked.checkouts[0].source}
    return {each.folder: str(Path(asked.workspace) / each.folder) for each in asked.checkouts}


class Place(NamedTuple):
    """A worktree, and the repository that it belongs to."""

    path: str
    source: str


def places(asked: wire.Create) -> tuple[Place, ...]:
    """The worktrees of the instance; none where it works in the user's own checkout."""
    if asked.executor == ExecutorType.LOCAL:
        return ()
    root = Path(asked.workspace)
    return tuple(Place(str(root / each.folder), each.source) for each in asked.checkouts)


def misplaced(known: Sequence[Place]) -> RuntimeProblem | None:
    """Why no turn may begin: a worktree is gone, or has become something else."""
    for place in known:
        reason = worktree_files.misplaced(Path(place.path), Path(place.source))
        if reason is not None:
            return RuntimeProblem(RuntimeCode.WORKTREE_LEFT, reason)
    return None


def _directory(asked: wire.Create) -> Path:
    """Where the agent starts: in its one checkout, or above its several."""
    root = Path(asked.workspace)
    return root / asked.checkouts[0].folder if len(asked.checkouts) == 1 else root


def _make_directories(path: Path, made: list[Path]) -> None:
    missing: list[Path] = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir()
        made.append(directory)


def _is_missing(failure: GitFailure) -> bool:
    return "missing but already registered" in failure.detail
