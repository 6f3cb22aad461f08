"""Routes of a repository: what its new worktrees are given."""

import msgspec
from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.identity import RepositoryId
from domain.principal import Principal
from domain.repository_settings import RepositorySettings

__all__ = ("Repositories",)


class RepositorySettingsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`copy_files`: comma-separated globs of ignored files, each perhaps with `:symlink`."""

    copy_files: str


class Repositories(Controller):
    path = "/api/v1/repositories"
    tags = ("repositories",)

    @get("/{repository_id:str}/settings")
    async def show(
        self,
        repository_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> RepositorySettingsBody:
        found = await api.change_repository.read(principal, RepositoryId(repository_id))
        return RepositorySettingsBody(accepted(found).copy_files)

    @put("/{repository_id:str}/settings")
    async def update(
        self,
        repository_id: FromPath[str],
        data: JSONBody[RepositorySettingsBody],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> RepositorySettingsBody:
        """Holds for worktrees that are made later; what is not valid changes nothing."""
        wanted = RepositorySettings(data.copy_files)
        stored = await api.change_repository(principal, RepositoryId(repository_id), wanted)
        return RepositorySettingsBody(accepted(stored).copy_files)
