"""Connect a workspace to a forge: validate the new token first, then replace what was there.

A bad new token leaves the old connection. The replacement, its new revision and the end of the
leases of the old one are one unit of work.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from domain import connection as rules
from domain.access import NotFound, OwnerOnly
from domain.audit import Deed
from domain.connection import Connection, Fault, InvalidConnection, Kind
from domain.git_failure import GitFailure
from domain.identity import ConnectionId, WorkspaceId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.repository import InvalidRemote, parse_remote
from domain.secret import Secret
from pipelines.audited import audited
from pipelines.authority import governed
from pipelines.end_leases import end_leases
from pipelines.replace_connection import ReplaceConnection
from ports.clock import Clock
from ports.redactor import Redactor
from ports.store import Store

__all__ = (
    "ConnectProblem",
    "ConnectRequest",
    "ConnectWorkspace",
    "DisconnectWorkspace",
    "ProbeElsewhere",
    "TokenRefused",
    "probed",
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


NOT_A_TOKEN: Final = frozenset({Kind.GH_CLI, Kind.GITHUB_APP})
"""Kinds whose credential is made elsewhere: they are connected in ways of their own."""

ConnectProblem: TypeAlias = (
    NotFound | OwnerOnly | InvalidConnection | InvalidRemote | ProbeElsewhere | TokenRefused
)


@dataclass(frozen=True, slots=True)
class ConnectWorkspace:
    store: Store
    replace: ReplaceConnection
    redactor: Redactor

    async def __call__(
        self, principal: Principal, request: ConnectRequest
    ) -> Result[Connection, ConnectProblem]:
        checked = check(request)
        if failed(checked):
            return checked
        host = checked.unwrap()
        async with self.store.read() as state:
            workspace = await governed(state, principal, request.workspace)
        if failed(workspace):
            return workspace

        self.redactor.register(request.token)
        candidate = self.replace.candidate(
            request.workspace,
            host,
            request.kind or rules.likely_kind(host),
            request.login,
            request.certificate_authority,
        )
        read = await self.replace.probe(candidate, request.probe, request.token)
        if failed(read):
            return Failure(TokenRefused(host, read.failure()))
        return await self.replace(principal, candidate, request.token)


def check(
    request: ConnectRequest,
) -> Result[str, InvalidConnection | InvalidRemote | ProbeElsewhere]:
    """The host in its one spelling, when every part of the request holds to the rules."""
    kind = request.kind or Kind.GIT
    if kind in NOT_A_TOKEN:
        return Failure(InvalidConnection(Fault.METHOD))
    secret = rules.check_secret(request.token)
    if failed(secret):
        return secret
    authority = request.certificate_authority
    return probed(kind, request.host, request.login, authority, request.probe)


def probed(
    kind: Kind, host: str, login: str | None, certificate_authority: str | None, probe: str
) -> Result[str, InvalidConnection | InvalidRemote | ProbeElsewhere]:
    """The host in its one spelling, when the repository to validate with is on it."""
    spelled = rules.check(kind, host, login, certificate_authority)
    if failed(spelled):
        return spelled
    remote = parse_remote(probe)
    if failed(remote):
        return remote
    if remote.unwrap().host != spelled.unwrap() or not probe.strip().startswith("https://"):
        return Failure(ProbeElsewhere(spelled.unwrap()))
    return spelled


@dataclass(frozen=True, slots=True)
class DisconnectWorkspace:
    store: Store
    clock: Clock

    async def __call__(
        self, principal: Principal, workspace: WorkspaceId, connection: ConnectionId
    ) -> Result[None, NotFound | OwnerOnly]:
        """Remove a connection with its secret; its leases end in the same unit."""
        async with self.store.write() as unit:
            owned = await governed(unit, principal, workspace)
            if failed(owned):
                return Failure(owned.failure())
            found = await unit.connection(connection)
            if found is None or found.workspace != workspace:
                return Failure(NotFound("connection"))
            at = self.clock.now()
            await end_leases(unit, at, Why.CONNECTION_REMOVED, connection=connection)
            await unit.remove_connection(connection)
            await audited(
                unit, at, Deed.CONNECTION_REMOVED, principal, connection, workspace=workspace
            )
        return Success(None)
