"""Registered repositories of workspaces."""

from collections.abc import Sequence

from sqlalchemy import select

from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given
from adapters.sqlite.tables import RepositoryRow, RepositorySettingsRow, table
from adapters.sqlite.unit import Unit
from adapters.sqlite.variables import OF_REPOSITORY, environment_of, rows_of
from domain.identity import RepositoryId, WorkspaceId
from domain.registered_repository import Repository
from domain.repository import RepositoryIdentity
from domain.repository_settings import RepositorySettings
from domain.script import FailurePolicy
from domain.stored_environment import StoredEnvironment
from ports.store import ALL

__all__ = ("RepositoryReads", "RepositoryWrites")

_REPOSITORY = table(RepositoryRow).c
_ONE = select(table(RepositoryRow)).where(_REPOSITORY.id == given("id"))
_OF_WORKSPACE = (
    select(table(RepositoryRow))
    .where(_REPOSITORY.workspace_id == given("workspace"), _REPOSITORY.id > given("after"))
    .order_by(_REPOSITORY.id)
    .limit(given("limit"))
)

_ASKED = table(RepositorySettingsRow).c
_SETTINGS = select(
    _ASKED.copy_files,
    _ASKED.setup_script,
    _ASKED.cleanup_script,
    _ASKED.on_setup_failure,
    _ASKED.worktree_branch_template,
).where(_ASKED.repository_id == given("repository"))


class RepositoryReads(Unit):
    __slots__ = ()

    async def repository(self, repository: RepositoryId) -> Repository | None:
        row = await self._on.one(_ONE, {"id": repository})
        return None if row is None else _repository(row)

    async def repositories(
        self, workspace: WorkspaceId, after: str | None = None, limit: int = ALL
    ) -> Sequence[Repository]:
        values = {"workspace": workspace, "after": after or "", "limit": limit}
        rows = await self._on.rows(_OF_WORKSPACE, values)
        return [_repository(row) for row in rows]

    async def repository_settings(self, repository: RepositoryId) -> RepositorySettings:
        row = await self._on.one(_SETTINGS, {"repository": repository})
        if row is None:
            return RepositorySettings()
        copied, setup, cleanup, policy, template = row
        return RepositorySettings(copied, setup, cleanup, FailurePolicy(policy), template)

    async def repository_environment(self, repository: RepositoryId) -> StoredEnvironment:
        return environment_of(await self._on.rows(OF_REPOSITORY.read, {"owner": repository}))


class RepositoryWrites(RepositoryReads):
    __slots__ = ()

    async def put_repository(self, repository: Repository) -> None:
        identity = repository.identity
        values = {
            "id": repository.id,
            "workspace_id": repository.workspace,
            "name": repository.name,
            "clone_url": repository.clone_url,
            "local_path": repository.local_path,
            "identity_host": None if identity is None else identity.host,
            "identity_path": None if identity is None else identity.path,
            "default_branch": repository.default_branch,
            "created_at": to_text(repository.created_at),
        }
        await self._put(RepositoryRow, values)

    async def put_repository_settings(
        self, repository: RepositoryId, settings: RepositorySettings
    ) -> None:
        values = {
            "repository_id": repository,
            "copy_files": settings.copy_files,
            "setup_script": settings.setup_script,
            "cleanup_script": settings.cleanup_script,
            "on_setup_failure": settings.on_setup_failure.value,
            "worktree_branch_template": settings.worktree_branch_template,
        }
        await self._put(RepositorySettingsRow, values)

    async def put_repository_environment(
        self, repository: RepositoryId, environment: StoredEnvironment
    ) -> None:
        await self._run(OF_REPOSITORY.clear, {"owner": repository})
        await self._run_many(OF_REPOSITORY.add, rows_of(OF_REPOSITORY, repository, environment))


def _repository(row: Row) -> Repository:
    key, workspace, name, clone_url, local_path, host, path, branch, created = row
    return Repository(
        RepositoryId(key),
        WorkspaceId(workspace),
        name,
        clone_url,
        local_path,
        None if host is None else RepositoryIdentity(host, path),
        branch,
        from_text(created),
    )
