"""With whose authority git works in a session: decided once, before anything is issued.

The order: a token that someone set for this launch wins; else the policy `executor` inherits; else
the workspace's connections serve the repositories that lie on their hosts. Launch, resume and
restart ask the same function, so they cannot disagree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol, TypeAlias

from domain import ambient_credentials, managed_git
from domain.broker_contract import MAX_SCOPES, SCOPES, GitScope, write_scopes
from domain.connection import Connection, Description, Status, describe
from domain.environment import Layer
from domain.git_config import Entry, MalformedGitConfig
from domain.identity import ConnectionId, RepositoryId
from domain.managed_git import HELPER_NAME, ManagedHost
from domain.outcome import Failure, Result, Success, failed
from domain.repository import RepositoryIdentity

__all__ = (
    "RUNTIME_SELECTED",
    "UNPLACED_HELPER",
    "AmbiguousConnection",
    "Attached",
    "ConnectionInactive",
    "CredentialDecision",
    "CredentialProblem",
    "Mode",
    "PolicyDescription",
    "Source",
    "TooManyRepositories",
    "Transport",
    "decide",
    "describe_policy",
    "managed_hosts",
    "removes",
)

RUNTIME_SELECTED = "runtime_selected"
"""The actor when none is known from what is stored."""
UNPLACED_HELPER = f"/dev/null/{HELPER_NAME}"
"""The helper's path where the tools directory is not known: a path that can never exist, so that
git would stop at the sentinel. Whoever starts the agent makes the entries again with the real one.
"""


class Mode(StrEnum):
    """A workspace's policy for the git of its tasks."""

    MANAGED = "managed"
    EXECUTOR = "executor"


class Source(StrEnum):
    """Where the credential of a session really comes from."""

    WORKSPACE = "workspace"
    EXECUTOR_PROFILE = "executor_profile"
    EXECUTOR = "executor"


class Transport(StrEnum):
    """How it reaches git."""

    MANAGED_HTTPS = "managed_https"
    PROFILE_TOKEN = "profile_token"  # noqa: S105 -- the name of a way, not a token
    EXECUTOR_SELECTED = "executor_selected"


class Attached(Protocol):
    """A repository of the task: `identity` is None when it has no remote."""

    @property
    def id(self) -> RepositoryId: ...
    @property
    def identity(self) -> RepositoryIdentity | None: ...


@dataclass(frozen=True, slots=True)
class CredentialDecision:
    """What to do about credentials.

    `method` is the connection's kind and `actor` who it belongs to, when one answer is true of all
    scopes. `scopes` each get a lease. `entries` and `variables` are the managed layer of the
    environment, empty unless the workspace is the source. `removed` are the variables that are
    taken from the layers and were there, in order of their name.
    """

    source: Source
    method: str | None
    actor: str
    transport: Transport
    scopes: tuple[GitScope, ...] = ()
    entries: tuple[Entry, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConnectionInactive:
    """The workspace has a connection for the host and it cannot be used: nothing stands in."""

    host: str
    connection: ConnectionId
    status: Status


@dataclass(frozen=True, slots=True)
class AmbiguousConnection:
    """More than one usable connection for one host."""

    host: str


@dataclass(frozen=True, slots=True)
class TooManyRepositories:
    """More than `MAX_SCOPES` repositories would need a lease."""

    count: int


CredentialProblem: TypeAlias = (
    MalformedGitConfig | ConnectionInactive | AmbiguousConnection | TooManyRepositories
)


@dataclass(frozen=True, slots=True)
class PolicyDescription:
    """What anyone in a workspace may read of its policy; no secret was needed to say it."""

    mode: Mode
    connections: tuple[Description, ...]
    accepts_netrc: bool = False


def describe_policy(
    mode: Mode, connections: Sequence[Connection], *, accepts_netrc: bool = False
) -> PolicyDescription:
    described = tuple(describe(connection) for connection in connections)
    return PolicyDescription(mode, described, accepts_netrc)


def decide(
    mode: Mode,
    connections: Sequence[Connection],
    layers: Sequence[Layer],
    repositories: Sequence[Attached],
    *,
    helper: str = UNPLACED_HELPER,
    authorities: Mapping[str, str] = MappingProxyType({}),
) -> Result[CredentialDecision, CredentialProblem]:
    """The one decision of a launch, resume or restart.

    `layers` are final and lowest first; `repositories` are all that are attached. `helper` is the
    absolute path of the managed helper and `authorities` the certificate file of a host, where the
    process runs; the entries are the same function of them there.
    """
    clean = ambient_credentials.cleared(layers)
    if failed(clean):
        return clean
    if ambient_credentials.override(layers):
        overridden = _decision(Source.EXECUTOR_PROFILE, Transport.PROFILE_TOKEN)
        return Success(_less(overridden, mode, layers))
    if mode == Mode.EXECUTOR:
        return Success(_less(_decision(Source.EXECUTOR), mode, layers))
    served = _serve(connections, repositories)
    if failed(served):
        return served
    decision = _managed(served.unwrap(), helper, authorities)
    return Success(_less(decision, mode, layers))


def managed_hosts(
    scopes: Sequence[GitScope], authorities: Mapping[str, str] = MappingProxyType({})
) -> tuple[ManagedHost, ...]:
    """The hosts of the scopes, in their order, each once."""
    hosts = dict.fromkeys(scope.host for scope in scopes)
    return tuple(ManagedHost(host, authorities.get(host)) for host in hosts)


def removes(mode: Mode, source: Source, layers: Sequence[Layer]) -> frozenset[str]:
    """All names that the managed layer takes from lower ones, also from those not seen here.

    A decision's `removed` are those of them that were there. Under the policy `executor` only our
    own stale names go.
    """
    match mode, source:
        case Mode.MANAGED, Source.WORKSPACE:
            return ambient_credentials.withheld(layers)
        case Mode.MANAGED, Source.EXECUTOR_PROFILE:
            return ambient_credentials.STALE | ambient_credentials.rivals(layers)
        case _:
            return ambient_credentials.STALE


def _less(decision: CredentialDecision, mode: Mode, layers: Sequence[Layer]) -> CredentialDecision:
    names = removes(mode, decision.source, layers)
    return replace(decision, removed=ambient_credentials.present(names, layers))


def _decision(
    source: Source, transport: Transport = Transport.EXECUTOR_SELECTED
) -> CredentialDecision:
    """A decision in which nothing of ours takes part."""
    return CredentialDecision(source, None, RUNTIME_SELECTED, transport)


def _managed(
    scoped: Sequence[tuple[GitScope, Connection]], helper: str, authorities: Mapping[str, str]
) -> CredentialDecision:
    if not scoped:
        return _decision(Source.EXECUTOR)
    scopes = tuple(scope for scope, _ in scoped)
    methods = {connection.kind.value for _, connection in scoped}
    actors = {connection.login or RUNTIME_SELECTED for _, connection in scoped}
    return CredentialDecision(
        Source.WORKSPACE,
        methods.pop() if len(methods) == 1 else None,
        actors.pop() if len(actors) == 1 else RUNTIME_SELECTED,
        Transport.MANAGED_HTTPS,
        scopes,
        managed_git.entries(managed_hosts(scopes, authorities), helper),
        managed_git.variables() | {SCOPES: write_scopes(scopes)},
    )


def _serve(
    connections: Sequence[Connection], repositories: Sequence[Attached]
) -> Result[tuple[tuple[GitScope, Connection], ...], CredentialProblem]:
    """The repositories whose host the workspace has a connection for, each with it, in order."""
    scoped: dict[GitScope, Connection] = {}
    for repository, identity in _identified(repositories):
        found = _connection(connections, identity.host)
        if failed(found):
            return found
        connection = found.unwrap()
        if connection is not None:
            scoped[GitScope(repository, identity.host, identity.path)] = connection
    if len(scoped) > MAX_SCOPES:
        return Failure(TooManyRepositories(len(scoped)))
    return Success(tuple(scoped.items()))


def _identified(
    repositories: Sequence[Attached],
) -> Iterator[tuple[RepositoryId, RepositoryIdentity]]:
    for repository in repositories:
        if repository.identity is not None:
            yield repository.id, repository.identity


def _connection(
    connections: Sequence[Connection], host: str
) -> Result[Connection | None, CredentialProblem]:
    at_host = [connection for connection in connections if connection.host == host]
    active = [connection for connection in at_host if connection.status is Status.ACTIVE]
    if len(active) > 1:
        return Failure(AmbiguousConnection(host))
    if active:
        return Success(active[0])
    if at_host:
        return Failure(ConnectionInactive(host, at_host[0].id, at_host[0].status))
    return Success(None)
