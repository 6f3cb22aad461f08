"""The variables of a repository, which every agent has that works in it: read and change them."""

from dataclasses import dataclass
from typing import TypeAlias

from domain import stored_environment
from domain.access import NotFound
from domain.identity import RepositoryId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.stored_environment import (
    ChosenEnvironment,
    StoredEnvironment,
    UnstorableEnvironment,
)
from pipelines.authority import repository_for
from pipelines.environment_secrets import EnvironmentSecrets, layer_of_repository
from ports.store import Store

__all__ = ("RepositoryEnvironment", "RepositoryEnvironmentProblem")

RepositoryEnvironmentProblem: TypeAlias = NotFound | UnstorableEnvironment


@dataclass(frozen=True, slots=True)
class RepositoryEnvironment:
    store: Store
    secrets: EnvironmentSecrets

    async def read(
        self, principal: Principal, repository: RepositoryId
    ) -> Result[StoredEnvironment, NotFound]:
        async with self.store.read() as state:
            found = await repository_for(state, principal, repository)
            if found is None:
                return Failure(NotFound("repository"))
            return Success(await state.repository_environment(repository))

    async def __call__(
        self, principal: Principal, repository: RepositoryId, chosen: ChosenEnvironment
    ) -> Result[StoredEnvironment, RepositoryEnvironmentProblem]:
        """Store what later starts get; a secret without a value keeps the one it has."""
        async with self.store.write() as unit:
            found = await repository_for(unit, principal, repository)
            if found is None:
                return Failure(NotFound("repository"))
            owner = layer_of_repository(found)
            checked = stored_environment.check(chosen, owner.layer)
            if failed(checked):
                return checked
            before = await unit.repository_environment(repository)
            environment = self.secrets.seal(owner, chosen, before)
            await unit.put_repository_environment(repository, environment)
        return Success(environment)
