"""Git of the control plane: closed clones and fetches in mirrors, and clones without a credential.

A command that carries a credential runs only in a bare mirror that no worktree hangs on, with an
environment and configuration of its own. No other command gets one.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from domain.git_failure import GitFailure
from domain.outcome import Result
from domain.secret import Secret

__all__ = ("ClosedGit", "Completed", "GitProcess", "RemoteAccess", "RepositoryLock")


@dataclass(frozen=True, slots=True)
class Completed:
    """A git command that exited 0; at most the bound of its output."""

    stdout: str
    stderr: str


class GitProcess(Protocol):
    """Runs git: in C locale, never prompting, in its own process group, within a time limit."""

    async def __call__(
        self,
        arguments: Sequence[str],
        *,
        directory: str,
        environment: Mapping[str, str],
        seconds: float,
        stdin: bytes = b"",
        isolated: bool = False,
        index: str | None = None,
    ) -> Result[Completed, GitFailure]:
        """Run `git <arguments>` in `directory` with exactly `environment`, less what redirects git.

        After `seconds`, or when cancelled, the whole group is ended. Output is bounded; more is a
        failure. `isolated` also ignores system and user configuration. `index` is a file to use in
        place of the checkout's own index.
        """
        ...


class RepositoryLock(Protocol):
    """A repository's worktrees are made and removed by one process at a time."""

    def __call__(self, repository: str) -> AbstractAsyncContextManager[Result[None, GitFailure]]:
        """Held until it is left; a failure when another process keeps it beyond the bound.

        A repository that is not there is nobody's: there is nothing to hold.
        """
        ...


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """A remote and how to reach it; `certificate_authority` is PEM text."""

    url: str
    username: str | None = None
    password: Secret | None = None
    certificate_authority: str | None = None


class ClosedGit(Protocol):
    async def probe(self, remote: RemoteAccess) -> Result[str, GitFailure]:
        """Ask the remote for its default branch, with the credential when there is one.

        A remote without commits answers `main`.
        """
        ...

    async def mirror(self, name: str, remote: RemoteAccess) -> Result[str, GitFailure]:
        """Make or refresh the bare mirror `name`; its absolute path.

        What it had is kept on failure.
        """
        ...

    async def clone_of(self, name: str, mirror: str, origin: str) -> Result[str, GitFailure]:
        """Make or refresh the clone `name` from the mirror by path, with `origin` as its remote.

        Only `refs/remotes/origin/*` and tags move; branches, worktrees and configuration stay.
        """
        ...

    async def point_origin(self, name: str, origin: str) -> Result[None, GitFailure]:
        """Give the clone `name` this one `origin`; nothing is written when it has it already."""
        ...

    async def fetch_head(
        self, name: str, remote: RemoteAccess, heads: Sequence[str], kept: str
    ) -> Result[None, GitFailure]:
        """Fetch the first of these refs that the remote has, as the ref `kept` of the clone.

        By way of the mirror, which is there as the clone is; nothing else of either moves.
        """
        ...

    def clone_path(self, name: str) -> str:
        """Where `clone_of` puts the clone `name`, whether it is there or not."""
        ...

    async def is_dirty(self, path: str) -> Result[bool, GitFailure]:
        """Whether anything in a repository of the user's is not committed; nothing changes."""
        ...

    async def inspect(self, path: str) -> Result["LocalRepository", GitFailure]:
        """Look at a repository of the user's on this machine; nothing in it changes."""
        ...


@dataclass(frozen=True, slots=True)
class LocalRepository:
    """A repository of the user's.

    `path` is its absolute top level, `origin` the URL of that remote as configured, and `branch`
    what is checked out.
    """

    path: str
    origin: str | None
    branch: str
