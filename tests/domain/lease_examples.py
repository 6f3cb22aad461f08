"""One lease that holds, and the live state that it rests on."""

from dataclasses import replace
from datetime import UTC, datetime

from domain.connection import Connection, Kind, Status
from domain.identity import (
    ConnectionId,
    ExecutionId,
    LeaseId,
    RepositoryId,
    SessionId,
    TaskId,
    WorkspaceId,
)
from domain.lease import LEASE_LIFE, Authority, LeaseRecord, Scope, digest
from domain.repository import RepositoryIdentity
from domain.secret import Secret

NOW = datetime(2026, 8, 1, 12, tzinfo=UTC)
WIDGETS = RepositoryIdentity("github.com", "/acme/widgets")
OTHER = RepositoryIdentity("github.com", "/acme/widgets-staging")
SCOPE = Scope(
    WorkspaceId("w"),
    TaskId("t"),
    SessionId("s"),
    ExecutionId("e"),
    RepositoryId("r"),
    WIDGETS,
)
CONNECTION = Connection(
    ConnectionId("c"), WorkspaceId("w"), "github.com", Kind.PAT, "alice", Status.ACTIVE, 3
)
AUTHORITY = Authority(
    WorkspaceId("w"),
    TaskId("t"),
    SessionId("s"),
    ExecutionId("e"),
    live=True,
    repositories={RepositoryId("r"): WIDGETS},
    connection=CONNECTION,
)
RECORD = LeaseRecord(
    LeaseId("l"),
    digest(Secret("kdl_x")),
    SCOPE,
    ConnectionId("c"),
    3,
    NOW,
    NOW + LEASE_LIFE,
)
CHANGED = replace(CONNECTION, revision=4)
