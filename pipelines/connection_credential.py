"""Resolve a connection to the credential that git is to send for one repository."""

from collections.abc import Mapping
from dataclasses import dataclass

from domain.connection import Connection, Kind
from domain.outcome import Failure, Result, Success, failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from pipelines.connection_secret import ConnectionSecrets
from ports.credential_source import CredentialSource, NoCredential, SourcedCredential, SourceFault
from ports.redactor import Redactor
from ports.store import Store

__all__ = ("ConnectionCredential",)


@dataclass(frozen=True, slots=True)
class ConnectionCredential:
    """`sources` are for the kinds whose stored secret is not what git sends."""

    store: Store
    secrets: ConnectionSecrets
    sources: Mapping[Kind, CredentialSource]
    redactor: Redactor

    async def __call__(
        self, connection: Connection, identity: RepositoryIdentity
    ) -> Result[SourcedCredential, NoCredential]:
        stored = await self._stored(connection)
        if failed(stored):
            return stored
        source = self.sources.get(connection.kind)
        if source is None:
            secret = stored.unwrap()
            sealed = Failure(NoCredential(SourceFault.SEALED))
            return sealed if secret is None else Success(SourcedCredential(secret))
        sourced = await source(connection, stored.unwrap(), identity)
        if not failed(sourced):
            self.redactor.register(sourced.unwrap().secret)
        return sourced

    async def _stored(self, connection: Connection) -> Result[Secret | None, NoCredential]:
        if connection.kind is Kind.GH_CLI:
            return Success(None)
        async with self.store.read() as state:
            opened = await self.secrets(state, connection)
        if failed(opened):
            return Failure(NoCredential(SourceFault.SEALED))
        return Success(opened.unwrap())
