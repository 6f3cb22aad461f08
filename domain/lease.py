"""Leases: a random name for "the credential of this repository, for this execution".

A lease is no credential. It is looked up by its hash, and at every redemption the live state is
asked again whether it still holds; what was true when it was issued proves nothing.
"""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from domain.connection import Connection, Status
from domain.identity import (
    ConnectionId,
    ExecutionId,
    LeaseId,
    RepositoryId,
    SessionId,
    TaskId,
    WorkspaceId,
)
from domain.outcome import Failure, Result, Success
from domain.repository import RepositoryIdentity
from domain.secret import Secret

__all__ = (
    "LEASE_LIFE",
    "MAX_LIVE_LEASES",
    "TOKEN_BYTES",
    "Authority",
    "LeaseRecord",
    "LeaseRefusal",
    "Refusal",
    "Scope",
    "digest",
    "may_issue",
    "may_redeem",
    "token",
)

LEASE_LIFE = timedelta(hours=12)
"""From issue to expiry, never prolonged: a session that outlives it is issued a new lease."""
MAX_LIVE_LEASES = 10_000
"""Unexpired and unrevoked leases of one workspace."""
TOKEN_BYTES = 32
"""Random bytes in a token."""


class Refusal(StrEnum):
    """Why there is no credential: closed, and stable on the wire."""

    INVALID = "lease_invalid"
    EXPIRED = "lease_expired"
    REVOKED = "lease_revoked"
    DENIED = "lease_denied"
    UNAVAILABLE = "lease_unavailable"
    LIMITED = "lease_limited"


@dataclass(frozen=True, slots=True)
class LeaseRefusal:
    """No credential. Only `UNAVAILABLE` and `LIMITED` may pass by themselves."""

    code: Refusal

    @property
    def reissuable(self) -> bool:
        """Whether a new lease could help: this one is gone, but its holder may be entitled."""
        return self.code in {Refusal.INVALID, Refusal.EXPIRED, Refusal.REVOKED}


@dataclass(frozen=True, slots=True)
class Scope:
    """What a lease is for; every part must match."""

    workspace: WorkspaceId
    task: TaskId
    session: SessionId
    execution: ExecutionId
    repository: RepositoryId
    identity: RepositoryIdentity


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """A lease as it is stored: its token only as a hash.

    `connection` and `revision` are the identity it was issued for; any other, later one revokes it.
    """

    id: LeaseId
    token_hash: bytes
    scope: Scope
    connection: ConnectionId
    revision: int
    issued_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Authority:
    """The live state that a decision rests on, read in one unit.

    `workspace`, `task`, `session` and `execution` are those that belong together now, `live`
    whether that session honours leases, `repositories` those of the task that have an identity,
    `connection` the workspace's connection for the host in question, if it has one.
    """

    workspace: WorkspaceId
    task: TaskId
    session: SessionId
    execution: ExecutionId
    live: bool
    repositories: Mapping[RepositoryId, RepositoryIdentity]
    connection: Connection | None


def token(random: bytes) -> Secret:
    """The token made of `TOKEN_BYTES` random bytes."""
    if len(random) != TOKEN_BYTES:
        raise ValueError("a lease token is made of 32 random bytes")
    return Secret("kdl_" + urlsafe_b64encode(random).rstrip(b"=").decode())


def digest(shown: Secret) -> bytes:
    """What is stored of a token, and what it is found by (SHA-256)."""
    return hashlib.sha256(shown.reveal().encode("utf-8", "surrogatepass")).digest()


def may_issue(
    scope: Scope, authority: Authority | None, live_leases: int
) -> Result[Connection, LeaseRefusal]:
    """The connection that a new lease for the scope would be bound to.

    `authority` is None when the live state could not be read.
    """
    refused = _refused(scope, authority)
    if refused is not None:
        return Failure(LeaseRefusal(refused))
    if live_leases >= MAX_LIVE_LEASES:
        return Failure(LeaseRefusal(Refusal.LIMITED))
    return _usable(scope, authority.connection if authority else None)


def may_redeem(
    record: LeaseRecord | None,
    authority: Authority | None,
    execution: ExecutionId,
    identity: RepositoryIdentity,
    now: datetime,
) -> Result[Connection, LeaseRefusal]:
    """The connection to resolve for a redemption of the lease that a token was looked up by.

    Asked before the secret is resolved and once more after, with the state of that moment: what
    was revoked in between is refused. `record` is None when the token is unknown, `authority` when
    the live state could not be read, which refuses this once and revokes nothing.
    """
    if record is None:
        return Failure(LeaseRefusal(Refusal.INVALID))
    if (record.scope.execution, record.scope.identity) != (execution, identity):
        return Failure(LeaseRefusal(Refusal.DENIED))
    if record.revoked_at is not None:
        return Failure(LeaseRefusal(Refusal.REVOKED))
    if now >= record.expires_at:
        return Failure(LeaseRefusal(Refusal.EXPIRED))
    refused = _refused(record.scope, authority)
    if refused is not None:
        return Failure(LeaseRefusal(refused))
    connection = authority.connection if authority else None
    if connection is None or (connection.id, connection.revision) != (
        record.connection,
        record.revision,
    ):
        return Failure(LeaseRefusal(Refusal.REVOKED))
    return _usable(record.scope, connection)


def _refused(scope: Scope, authority: Authority | None) -> Refusal | None:
    """Whether the scope is not, or cannot be seen to be, one that exists and is live now."""
    if authority is None:
        return Refusal.UNAVAILABLE
    stands = (
        authority.live
        and (scope.workspace, scope.task) == (authority.workspace, authority.task)
        and (scope.session, scope.execution) == (authority.session, authority.execution)
        and authority.repositories.get(scope.repository) == scope.identity
    )
    return None if stands else Refusal.DENIED


def _usable(scope: Scope, connection: Connection | None) -> Result[Connection, LeaseRefusal]:
    if connection is None:
        return Failure(LeaseRefusal(Refusal.DENIED))
    if (connection.workspace, connection.host) != (scope.workspace, scope.identity.host):
        return Failure(LeaseRefusal(Refusal.DENIED))
    if connection.status is not Status.ACTIVE:
        return Failure(LeaseRefusal(Refusal.UNAVAILABLE))
    return Success(connection)
