"""Git of the control plane over remotes and repositories that are not there."""

from collections.abc import Awaitable, Callable, Sequence

from typing_extensions import override

from domain.git_failure import GitCode, GitFailure
from domain.outcome import Failure, Result, Success, failed
from ports.git import ClosedGit, LocalRepository, RemoteAccess

__all__ = ("FakeClosedGit",)


class FakeClosedGit(ClosedGit):
    """`remotes` maps a URL to its default branch; `secret`, when set, is the password they want.

    `asked` are the accesses in order, `mirrored` and `cloned` the names that were made. `heads` are refs
    that every remote has besides, `fetched` those that were. `meanwhile` runs once while a mirror is made, `during_probe` while a remote is asked.
    """

    def __init__(self) -> None:
        self.remotes: dict[str, str] = {}
        self.secret: str | None = None
        self.refuses: GitFailure | None = None
        self.local: dict[str, LocalRepository] = {}
        self.dirty: set[str] = set()
        self.asked: list[RemoteAccess] = []
        self.mirrored: list[str] = []
        self.cloned: list[str] = []
        self.heads: set[str] = set()
        self.fetched: list[tuple[str, str]] = []
        self.origins: dict[str, str] = {}
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        self.during_probe: Callable[[], Awaitable[None]] | None = None

    @override
    async def probe(self, remote: RemoteAccess) -> Result[str, GitFailure]:
        during, self.during_probe = self.during_probe, None
        if during is not None:
            await during()
        return self._read(remote)

    @override
    async def mirror(self, name: str, remote: RemoteAccess) -> Result[str, GitFailure]:
        self.mirrored.append(name)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return self._read(remote).map(lambda _: f"/mirrors/{name}")

    @override
    async def clone_of(self, name: str, mirror: str, origin: str) -> Result[str, GitFailure]:
        self.cloned.append(name)
        return Success(self.clone_path(name))

    @override
    async def point_origin(self, name: str, origin: str) -> Result[None, GitFailure]:
        self.origins[name] = origin
        return Success(None)

    @override
    async def fetch_head(
        self, name: str, remote: RemoteAccess, heads: Sequence[str], kept: str
    ) -> Result[None, GitFailure]:
        there = self._read(remote)
        if failed(there):
            return there
        if not self.heads.intersection(heads):
            return Failure(GitFailure(GitCode.UNKNOWN_BRANCH, "couldn't find remote ref"))
        self.fetched.append((name, kept))
        return Success(None)

    @override
    def clone_path(self, name: str) -> str:
        return f"/repos/{name}"

    @override
    async def is_dirty(self, path: str) -> Result[bool, GitFailure]:
        return Success(path in self.dirty)

    @override
    async def inspect(self, path: str) -> Result[LocalRepository, GitFailure]:
        found = self.local.get(path)
        missing = GitFailure(GitCode.NOT_A_REPOSITORY, "not a git repository")
        return Failure(missing) if found is None else Success(found)

    def _read(self, remote: RemoteAccess) -> Result[str, GitFailure]:
        self.asked.append(remote)
        if self.refuses is not None:
            return Failure(self.refuses)
        branch = self.remotes.get(remote.url)
        if branch is None:
            return Failure(GitFailure(GitCode.NOT_FOUND, "repository not found"))
        shown = None if remote.password is None else remote.password.reveal()
        if self.secret is not None and shown != self.secret:
            return Failure(GitFailure(GitCode.AUTHENTICATION, "Authentication failed"))
        return Success(branch)
