"""Register a repository by clone URL or by a path on this machine.

A clone is made at once, so that a URL that cannot be cloned is refused before a row exists.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound
from domain.branch import distinct, slug
from domain.git_failure import GitFailure
from domain.identity import RepositoryId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.registered_repository import Repository
from domain.repository import InvalidRemote, parse_remote
from pipelines.authority import holds
from pipelines.refresh_clone import RefreshClone
from ports.clock import Clock
from ports.credential_source import NoCredential
from ports.git import ClosedGit
from ports.ids import Ids
from ports.store import Store

__all__ = ("RegisterRepository", "RegisterRepositoryProblem", "RelativePath")


@dataclass(frozen=True, slots=True)
class RelativePath:
    """A local repository is named by its absolute path, in which no NUL can be."""


RegisterRepositoryProblem: TypeAlias = (
    NotFound | InvalidRemote | GitFailure | NoCredential | RelativePath
)


@dataclass(frozen=True, slots=True)
class RegisterRepository:
    store: Store
    git: ClosedGit
    refresh: RefreshClone
    clock: Clock
    ids: Ids

    async def by_url(
        self, principal: Principal, workspace: WorkspaceId, clone_url: str
    ) -> Result[Repository, RegisterRepositoryProblem]:
        """Clone it under the home, with the workspace's connection for its host if there is one.

        One that the workspace has already is given back and not cloned again.
        """
        identity = parse_remote(clone_url)
        if failed(identity):
            return identity
        if not await self._exists(principal, workspace):
            return Failure(NotFound("workspace"))
        known = await self._known(workspace, clone_url.strip())
        if known is not None:
            return Success(known)
        repository = Repository(
            id=RepositoryId(self.ids.new("repo")),
            workspace=workspace,
            name=slug(identity.unwrap().path.rsplit("/", 1)[-1]),
            clone_url=clone_url.strip(),
            local_path=None,
            identity=identity.unwrap(),
            default_branch="main",
            created_at=self.clock.now(),
        )
        branch = await self.refresh.default_branch(repository)
        if failed(branch):
            return branch
        return await self._store(repository, branch.unwrap())

    async def by_path(
        self, principal: Principal, workspace: WorkspaceId, path: str
    ) -> Result[Repository, RegisterRepositoryProblem]:
        """Take a repository of the user's as it lies; nothing in it changes."""
        if not path.startswith("/") or "\0" in path:
            return Failure(RelativePath())
        if not await self._exists(principal, workspace):
            return Failure(NotFound("workspace"))
        looked = await self.git.inspect(path)
        if failed(looked):
            return looked
        local = looked.unwrap()
        remote = parse_remote(local.origin) if local.origin else None
        repository = Repository(
            id=RepositoryId(self.ids.new("repo")),
            workspace=workspace,
            name=slug(local.path.rsplit("/", 1)[-1]),
            clone_url=None,
            local_path=local.path,
            identity=None if remote is None or failed(remote) else remote.unwrap(),
            default_branch=local.branch,
            created_at=self.clock.now(),
        )
        return await self._store(repository, local.branch)

    async def _exists(self, principal: Principal, workspace: WorkspaceId) -> bool:
        async with self.store.read() as state:
            return await holds(state, principal, workspace)

    async def _known(self, workspace: WorkspaceId, clone_url: str) -> Repository | None:
        async with self.store.read() as state:
            registered = await state.repositories(workspace)
        return next((each for each in registered if each.clone_url == clone_url), None)

    async def _store(
        self, repository: Repository, branch: str
    ) -> Result[Repository, RegisterRepositoryProblem]:
        """One that was registered meanwhile is given back instead."""
        async with self.store.write() as unit:
            if await unit.workspace(repository.workspace) is None:
                return Failure(NotFound("workspace"))
            registered = await unit.repositories(repository.workspace)
            for known in registered:
                source = (known.clone_url, known.local_path)
                if source == (repository.clone_url, repository.local_path):
                    return Success(known)
            name = distinct(repository.name, {each.name for each in registered})
            stored = replace(repository, name=name, default_branch=branch)
            await unit.put_repository(stored)
        return Success(stored)
