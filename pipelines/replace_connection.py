"""Put a validated connection in the place of the old one: one unit, in which its leases end."""

from dataclasses import dataclass, replace

from domain import connection as rules
from domain.access import NotFound
from domain.audit import Deed
from domain.connection import Connection, Kind, Status
from domain.git_failure import GitFailure
from domain.identity import ConnectionId, WorkspaceId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success
from domain.principal import Principal
from domain.secret import Secret
from pipelines.audited import audited
from pipelines.end_leases import end_leases
from ports.clock import Clock
from ports.git import ClosedGit, RemoteAccess
from ports.ids import Ids
from ports.store import Store
from ports.vault import Vault, connection_place

__all__ = ("ReplaceConnection",)


@dataclass(frozen=True, slots=True)
class ReplaceConnection:
    store: Store
    git: ClosedGit
    vault: Vault
    clock: Clock
    ids: Ids

    def candidate(
        self,
        workspace: WorkspaceId,
        host: str,
        kind: Kind,
        login: str | None,
        certificate_authority: str | None,
    ) -> Connection:
        """A connection to validate; it has no revision yet."""
        key = ConnectionId(self.ids.new("con"))
        active = Status.ACTIVE
        return Connection(key, workspace, host, kind, login, active, 0, certificate_authority)

    async def probe(
        self, candidate: Connection, url: str, secret: Secret
    ) -> Result[str, GitFailure]:
        """Whether the secret lets the candidate read a repository."""
        username = rules.username(candidate.kind, candidate.login)
        authority = candidate.certificate_authority
        return await self.git.probe(RemoteAccess(url, username, secret, authority))

    async def __call__(
        self, principal: Principal, candidate: Connection, secret: Secret
    ) -> Result[Connection, NotFound]:
        """The stored connection, under a revision that was never given before."""
        async with self.store.write() as unit:
            if await unit.workspace(candidate.workspace) is None:
                return Failure(NotFound("workspace"))  # deleted while the forge was asked
            known = await unit.connections(candidate.workspace)
            old = next((each for each in known if each.host == candidate.host), None)
            connection = replace(
                candidate,
                id=old.id if old else candidate.id,
                revision=await unit.next_revision(candidate.workspace, candidate.host),
            )
            at = self.clock.now()
            await end_leases(unit, at, Why.CONNECTION_REPLACED, connection=connection.id)
            sealed = self.vault.seal(connection_place(connection.id, connection.workspace), secret)
            await unit.put_connection(connection, sealed)
            await audited(
                unit,
                at,
                Deed.CONNECTION_PUT,
                principal,
                connection.id,
                workspace=connection.workspace,
                detail=f"{connection.kind.value} {connection.host}",
            )
        return Success(connection)
