"""What a repository asks for in its new worktrees: read and change it."""

from dataclasses import dataclass
from typing import TypeAlias

from domain import repository_settings
from domain.access import NotFound
from domain.identity import RepositoryId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.repository_settings import RepositorySettings, SettingsChange, SettingsProblem
from pipelines.authority import repository_for
from ports.store import Store

__all__ = ("ChangeRepository", "ChangeRepositoryProblem")

ChangeRepositoryProblem: TypeAlias = NotFound | SettingsProblem


@dataclass(frozen=True, slots=True)
class ChangeRepository:
    store: Store

    async def read(
        self, principal: Principal, repository: RepositoryId
    ) -> Result[RepositorySettings, ChangeRepositoryProblem]:
        async with self.store.read() as state:
            found = await repository_for(state, principal, repository)
            if found is None:
                return Failure(NotFound("repository"))
            return Success(await state.repository_settings(repository))

    async def __call__(
        self, principal: Principal, repository: RepositoryId, wanted: SettingsChange
    ) -> Result[RepositorySettings, ChangeRepositoryProblem]:
        """Store what later worktrees get; what is not valid changes nothing."""
        async with self.store.write() as unit:
            found = await repository_for(unit, principal, repository)
            if found is None:
                return Failure(NotFound("repository"))
            current = await unit.repository_settings(repository)
            checked = repository_settings.check(repository_settings.change(current, wanted))
            if failed(checked):
                return checked
            await unit.put_repository_settings(repository, checked.unwrap())
        return Success(checked.unwrap())
