"""Bring a registered repository up to date, with the workspace's credential, in a closed mirror."""

from dataclasses import dataclass
from typing import TypeAlias

from domain import connection as rules
from domain.base_branch import pull_request_heads, pull_request_ref
from domain.connection import Status, serving
from domain.git_failure import GitCode, GitFailure
from domain.outcome import Failure, Result, Success, failed
from domain.registered_repository import Repository
from domain.repository import RepositoryIdentity, https_url
from pipelines.connection_credential import ConnectionCredential
from ports.credential_source import NoCredential
from ports.git import ClosedGit, RemoteAccess
from ports.store import Store

__all__ = ("NoPullRequest", "RefreshClone", "RefreshProblem")

RefreshProblem: TypeAlias = GitFailure | NoCredential


@dataclass(frozen=True, slots=True)
class NoPullRequest:
    """The remote has no head of a pull request of this number."""

    number: int


@dataclass(frozen=True, slots=True)
class RefreshClone:
    store: Store
    git: ClosedGit
    credential: ConnectionCredential

    async def default_branch(self, repository: Repository) -> Result[str, RefreshProblem]:
        """Ask the remote for its default branch, then clone it."""
        access = await self._access(repository)
        if failed(access):
            return access
        remote = access.unwrap()
        branch = await self.git.probe(remote)
        if failed(branch):
            return branch
        cloned = await self._refresh(repository, remote)
        return cloned if failed(cloned) else branch

    async def __call__(self, repository: Repository, *, fetch: bool) -> Result[str, RefreshProblem]:
        """The absolute path of the clone that worktrees hang on.

        With the remote's latest when `fetch`, else as it lies, without a credential.
        """
        if not fetch:
            return Success(self.git.clone_path(repository.id))
        access = await self._access(repository)
        if failed(access):
            return access
        return await self._refresh(repository, access.unwrap())

    async def pull_request(
        self, repository: Repository, number: int
    ) -> Result[str, RefreshProblem | NoPullRequest]:
        """Fetch the head of a pull request into the clone, which is there; the name of its ref."""
        access = await self._access(repository)
        if failed(access):
            return access
        kept = pull_request_ref(number)
        fetched = await self.git.fetch_head(
            repository.id, access.unwrap(), pull_request_heads(number), kept
        )
        if failed(fetched):
            missing = fetched.failure().code is GitCode.UNKNOWN_BRANCH
            return Failure(NoPullRequest(number)) if missing else fetched
        return Success(kept)

    async def _refresh(
        self, repository: Repository, remote: RemoteAccess
    ) -> Result[str, RefreshProblem]:
        mirror = await self.git.mirror(repository.id, remote)
        if failed(mirror):
            return mirror
        return await self.git.clone_of(repository.id, mirror.unwrap(), remote.url)

    async def _access(self, repository: Repository) -> Result[RemoteAccess, RefreshProblem]:
        assert repository.clone_url is not None, "only a clone has a remote of ours"
        identity = repository.identity
        async with self.store.read() as state:
            known = await state.connections(repository.workspace)
        connection = serving(known, identity.host) if identity else None
        if identity is None or connection is None or connection.status is not Status.ACTIVE:
            return Success(RemoteAccess(repository.clone_url))
        resolved = await self.credential(connection, identity)
        if failed(resolved):
            return resolved
        return Success(
            RemoteAccess(
                over_https(repository.clone_url, identity),
                rules.username(connection.kind, connection.login),
                resolved.unwrap().secret,
                connection.certificate_authority,
            )
        )


def over_https(clone_url: str, identity: RepositoryIdentity) -> str:
    """Where a credential is sent: what was registered over SSH has the same identity."""
    return clone_url if clone_url.startswith("https://") else https_url(identity)
