"""Routes of a repository: what its worktrees and agents are given, and what is run in them."""

from typing import Annotated

import msgspec
from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from adapters.http.profile_bodies import EnvironmentBody, NewEnvironment
from domain import script
from domain.identity import RepositoryId
from domain.principal import Principal
from domain.repository_settings import RepositorySettings, SettingsChange
from domain.script import FailurePolicy

__all__ = ("Repositories", "RepositorySettingsChange")


class RepositorySettingsChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`copy_files`: comma-separated globs of ignored files, each perhaps with `:symlink`.

    The scripts are run by `/bin/sh`; an empty one is none. An empty template is the default,
    `feature/{title}-{suffix}`.
    """

    copy_files: str | None = None
    setup_script: str | None = None
    cleanup_script: str | None = None
    on_setup_failure: FailurePolicy | None = None
    worktree_branch_template: str | None = None

    def change(self) -> SettingsChange:
        return SettingsChange(
            self.copy_files,
            self.setup_script,
            self.cleanup_script,
            self.on_setup_failure,
            self.worktree_branch_template,
        )


UnknownNames = Annotated[
    list[str],
    msgspec.Meta(description="Placeholders of the scripts that have no value and stay as written."),
]


class RepositorySettingsBody(msgspec.Struct, frozen=True):
    copy_files: str
    setup_script: str
    cleanup_script: str
    on_setup_failure: FailurePolicy
    worktree_branch_template: str
    unknown_placeholders: UnknownNames

    @classmethod
    def of(cls, settings: RepositorySettings) -> "RepositorySettingsBody":
        scripts = f"{settings.setup_script}\n{settings.cleanup_script}"
        return cls(
            settings.copy_files,
            settings.setup_script,
            settings.cleanup_script,
            settings.on_setup_failure,
            settings.worktree_branch_template,
            list(script.unknown(scripts)),
        )


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
        return RepositorySettingsBody.of(accepted(found))

    @put("/{repository_id:str}/settings")
    async def update(
        self,
        repository_id: FromPath[str],
        data: JSONBody[RepositorySettingsChange],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> RepositorySettingsBody:
        """Absent fields stay as they are. Holds for worktrees that are made later."""
        repository = RepositoryId(repository_id)
        stored = await api.change_repository(principal, repository, data.change())
        return RepositorySettingsBody.of(accepted(stored))

    @get("/{repository_id:str}/environment")
    async def environment(
        self,
        repository_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> EnvironmentBody:
        found = await api.repository_environment.read(principal, RepositoryId(repository_id))
        return EnvironmentBody.of(accepted(found))

    @put("/{repository_id:str}/environment")
    async def change_environment(
        self,
        repository_id: FromPath[str],
        data: JSONBody[NewEnvironment],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> EnvironmentBody:
        """The variables of every agent that is started in the repository later, whole."""
        stored = await api.repository_environment(
            principal, RepositoryId(repository_id), data.chosen()
        )
        return EnvironmentBody.of(accepted(stored))
