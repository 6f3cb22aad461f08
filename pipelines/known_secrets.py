"""Every secret that the store holds: what a redactor must know before anything is written."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from domain.connection import Connection, Kind
from domain.identity import WorkspaceId
from domain.outcome import failed
from domain.profile import Profile, ProfileKind
from domain.secret import Secret
from pipelines.connection_secret import ConnectionSecrets
from pipelines.environment_secrets import (
    EnvironmentSecrets,
    layer_of_profile,
    layer_of_repository,
)
from ports.store import Reader, Store

__all__ = ("PAGE", "KnownSecrets")

PAGE: Final = 100
"""Rows that are asked for at once."""


@dataclass(frozen=True, slots=True)
class KnownSecrets:
    store: Store
    connections: ConnectionSecrets
    environments: EnvironmentSecrets

    async def register(self) -> None:
        """Have the redactor know all of them; opening one does."""
        async with self.store.read() as state:
            async for workspace in _workspaces(state):
                for connection in await state.connections(workspace):
                    await self.connections(state, connection)
                for repository in await state.repositories(workspace):
                    stored = await state.repository_environment(repository.id)
                    self.environments.register(layer_of_repository(repository), stored)
                async for profile in _profiles(state, workspace):
                    self.environments.register(layer_of_profile(profile), profile.environment)

    async def of_git(self) -> tuple[Secret, ...]:
        """Those that git can be given, for a redactor beside it.

        The key of a GitHub App is not among them: it only signs, here.
        """
        async with self.store.read() as state:
            opened = [
                await self.connections(state, connection)
                async for workspace in _workspaces(state)
                for connection in await state.connections(workspace)
                if _is_given(connection)
            ]
        return tuple(each.unwrap() for each in opened if not failed(each))


def _is_given(connection: Connection) -> bool:
    return connection.kind is not Kind.GITHUB_APP


async def _workspaces(state: Reader) -> AsyncIterator[WorkspaceId]:
    after: str | None = None
    while page := await state.workspaces(after, PAGE):
        for workspace in page:
            yield workspace.id
        after = page[-1].id


async def _profiles(state: Reader, workspace: WorkspaceId) -> AsyncIterator[Profile]:
    for kind in ProfileKind:
        after: str | None = None
        while page := await state.profiles(workspace, kind, after, PAGE):
            for profile in page:
                yield profile
            after = page[-1].id
