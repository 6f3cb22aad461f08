"""Connect a workspace to a forge: validate the new token first, then replace what was there.

A bad new token leaves the old connection. The replacement, its new revision and the end of the
leases of the old one are one unit of work.
"""

from dataclasses import dataclass
from typing import TypeAlias

from domain import connection as rules
from domain.access import NotFound, acts_for_a_person
from domain.connection import Connection, InvalidConnection, Kind, Status
from domain.git_failure import GitFailure
from domain.identity import ConnectionId, WorkspaceId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.repository import InvalidRemote, parse_remote
from domain.secret import Secret
from pipelines.end_leases import end_leases
from ports.clock import Clock
from ports.git import ClosedGit, RemoteAccess
from ports.ids import Ids
from ports.redactor import Redactor
from ports.store import Store
from ports.vault import SecretPlace, Vault

__all__ = (
    "ConnectProblem",
    "ConnectRequest",
    "ConnectWorkspace",
    "DisconnectWorkspace",
    "ProbeElsewhere",
    "TokenRefused",
    "place",
)


@dataclass(frozen=True, slots=True)
class ConnectRequest:
    """`probe` is the HTTPS URL of a repository that the token must be able to read."""

    workspace: WorkspaceId
    host: str
    kind: Kind | None
    login: str | None
    token: Secret
    certificate_authority: str | None
    probe: str


@dataclass(frozen=True, slots=True)
class TokenRefused:
    """The forge could not be read with the token; the connection is as it was."""

    host: str
    failure: GitFailure


@dataclass(frozen=True, slots=True)
class ProbeElsewhere:
    """The repository to validate with is not on the host that is connected."""

    host: str


ConnectProblem: TypeAlias = (
    NotFound | InvalidConnection | InvalidRemote | ProbeElsewhere | TokenRefused
)


def place(connection: ConnectionId, workspace: WorkspaceId) -> SecretPlace:
    """Where a connection's secret is sealed for."""
    return SecretPlace(id=connection, owner=workspace, scope="connection")


@dataclass(frozen=True, slots=True)
class ConnectWorkspace:
    store: Store
    git: ClosedGit
    vault: Vault
    redactor: Redactor
    clock: Clock
    ids: Ids

    async def __call__(
        self, principal: Principal, request: ConnectRequest
    ) -> Result[Connection, ConnectProblem]:
        checked = check(request)
        if failed(checked):
            return checked
        host = checked.unwrap()
        async with self.store.read() as state:
            workspace = await state.workspace(request.workspace)
        if workspace is None or not acts_for_a_person(principal):
            return Failure(NotFound("workspace"))

        self.redactor.register(request.token)
        kind = request.kind or rules.likely_kind(host)
        username = rules.username(kind, request.login)
        probed = await self.git.probe(
            RemoteAccess(request.probe, username, request.token, request.certificate_authority)
        )
        if failed(probed):
            return Failure(TokenRefused(host, probed.failure()))
        return Success(await self._replace(request, host, kind))

    async def _replace(self, request: ConnectRequest, host: str, kind: Kind) -> Connection:
        async with self.store.write() as unit:
            known = await unit.connections(request.workspace)
            old = next((each for each in known if each.host == host), None)
            connection = Connection(
                id=old.id if old else ConnectionId(self.ids.new("con")),
                workspace=request.workspace,
                host=host,
                kind=kind,
                login=request.login,
                status=Status.ACTIVE,
                revision=await unit.next_revision(request.workspace, host),
                certificate_authority=request.certificate_authority,
            )
            sealed = self.vault.seal(place(connection.id, request.workspace), request.token)
            at = self.clock.now()
            await end_leases(unit, at, Why.CONNECTION_REPLACED, connection=connection.id)
            await unit.put_connection(connection, sealed)
        return connection


def check(
    request: ConnectRequest,
) -> Result[str, InvalidConnection | InvalidRemote | ProbeElsewhere]:
    """The host in its one spelling, when every part of the request holds to the rules."""
    kind = request.kind or Kind.GIT
    host = rules.check(kind, request.host, request.login, request.certificate_authority)
    if failed(host):
        return host
    secret = rules.check_secret(request.token)
    if failed(secret):
        return secret
    probe = parse_remote(request.probe)
    if failed(probe):
        return probe
    if probe.unwrap().host != host.unwrap() or not request.probe.strip().startswith("https://"):
        return Failure(ProbeElsewhere(host.unwrap()))
    return host


@dataclass(frozen=True, slots=True)
class DisconnectWorkspace:
    store: Store
    clock: Clock

    async def __call__(
        self, principal: Principal, workspace: WorkspaceId, connection: ConnectionId
    ) -> Result[None, NotFound]:
        """Remove a connection with its secret; its leases end in the same unit."""
        async with self.store.write() as unit:
            found = await unit.connection(connection)
            if found is None or found.workspace != workspace or not acts_for_a_person(principal):
                return Failure(NotFound("connection"))
            at = self.clock.now()
            await end_leases(unit, at, Why.CONNECTION_REMOVED, connection=connection)
            await unit.remove_connection(connection)
        return Success(None)
