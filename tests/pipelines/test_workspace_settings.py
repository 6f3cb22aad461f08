"""What is told of a workspace's policy, by a store that refuses to open a secret."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from adapters.sqlite.store import SqliteReader, SqliteStore
from domain.connection import Kind, Status
from domain.credential_policy import Mode
from domain.identity import ConnectionId, TokenId, UserId
from domain.principal import Token
from pipelines.workspace_settings import WorkspaceSettings
from tests.fakes.clock import ManualClock
from tests.pipelines.broker import CONNECTION, SCOPE, broker
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

OWNER = Token(TokenId("home"), UserId("owner"), None)


class SealedReader(SqliteReader):
    """Raises where a secret is asked for."""

    __slots__ = ()

    @override
    async def connection_secret(self, connection: ConnectionId) -> bytes | None:
        raise AssertionError("a secret was asked for")


class SealedStore:
    """Reads of a store that gives no secret away."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    @asynccontextmanager
    async def read(self) -> AsyncIterator[SqliteReader]:
        async with self._store.read() as state:
            connection = state._connection
            assert connection is not None
            yield SealedReader(connection)

    def write(self) -> object:
        return self._store.write()


@requirement("connection:described")
async def test_the_description_of_a_workspace_needs_no_secret(tmp_path: Path) -> None:
    app = replace(CONNECTION, kind=Kind.GITHUB_APP, login="Kandev Bot", account="acme")
    async with broker(tmp_path, app) as made:
        settings = WorkspaceSettings(SealedStore(made.store), ManualClock())  # type: ignore[arg-type]  # as above
        described = (await settings.read(OWNER, SCOPE.workspace)).unwrap()

    [told] = described.connections
    assert described.mode is Mode.MANAGED
    assert (told.method, told.actor, told.account) == (
        "github_app_installation",
        "Kandev Bot",
        "acme",
    )
    assert told.status is Status.ACTIVE


@requirement("connection:described")
async def test_an_actor_that_nothing_tells_is_unknown(tmp_path: Path) -> None:
    async with broker(tmp_path, replace(CONNECTION, login=None)) as made:
        settings = WorkspaceSettings(SealedStore(made.store), ManualClock())  # type: ignore[arg-type]  # as above
        described = (await settings.read(OWNER, SCOPE.workspace)).unwrap()

    assert [each.actor for each in described.connections] == [None]
