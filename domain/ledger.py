"""The ledger: what was done with leases, for whom and with which outcome, and never a value.

An entry outlives what it tells of: it names tasks, sessions and repositories that may be gone.
"""

import csv
import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.identity import (
    ExecutionId,
    RepositoryId,
    SessionId,
    TaskId,
    UserId,
    WorkspaceId,
)
from domain.lease import Authority, LeaseRecord, Scope
from domain.peer import Peer
from domain.repository import RepositoryIdentity

__all__ = (
    "COLUMNS",
    "GRANTED",
    "LEDGER_LIFE",
    "MAX_PAGE",
    "REVOKED",
    "LedgerEntry",
    "LedgerQuery",
    "Operation",
    "Why",
    "csv_line",
    "json_line",
    "kept_from",
    "of_authority",
    "of_scope",
    "record_of",
    "revocation",
)

LEDGER_LIFE: Final = timedelta(days=180)
"""How long an entry is kept."""
MAX_PAGE: Final = 500
"""Entries of one page."""

GRANTED: Final = "granted"
"""The result of an issue or a redemption that was not refused; else it is the refusal's code."""
REVOKED: Final = "revoked"
"""The result of a revocation; why is its detail."""

COLUMNS: Final = (
    "sequence",
    "at",
    "operation",
    "result",
    "detail",
    "workspace_id",
    "task_id",
    "session_id",
    "execution_id",
    "repository_id",
    "host",
    "path",
    "actor",
    "pid",
    "descent",
    "redemption",
)
"""The fields of an exported entry, in order."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Operation(StrEnum):
    """What was done, or refused."""

    ISSUE = "issue"
    REDEEM = "redeem"
    REVOKE = "revoke"
    PUSH = "push"
    """Seen, not done by us; its result is a `domain.push.Verdict`."""


class Why(StrEnum):
    """Why leases were revoked."""

    CONNECTION_REPLACED = "connection_replaced"
    CONNECTION_REMOVED = "connection_removed"
    REPOSITORY_DETACHED = "repository_detached"
    SESSION_STOPPED = "session_stopped"
    SESSION_ENDED = "session_ended"
    START_FAILED = "start_failed"
    TASK_ARCHIVED = "task_archived"
    TASK_DELETED = "task_deleted"
    WORKSPACE_DELETED = "workspace_deleted"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One line; `sequence` is 0 until it is stored.

    What is None was not known. `actor` is the login of the connection at that time. `peer` is who
    asked on the instance's socket, `redemption` the number of the one that a push was matched with.
    """

    at: datetime
    operation: Operation
    result: str
    workspace: WorkspaceId | None
    task: TaskId | None
    session: SessionId | None
    execution: ExecutionId
    repository: RepositoryId | None
    identity: RepositoryIdentity
    actor: str | None = None
    detail: str = ""
    peer: Peer | None = None
    redemption: int | None = None
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class LedgerQuery:
    """A page of entries in the order of their numbers, after `after`; None filters nothing.

    `user` sees those of the workspaces that the user works in, with `ownerless` also those of no
    workspace that there is. `within` are workspaces of which one it must be.
    """

    after: int = 0
    limit: int = MAX_PAGE
    workspace: WorkspaceId | None = None
    task: TaskId | None = None
    session: SessionId | None = None
    repository: RepositoryId | None = None
    host: str | None = None
    operation: Operation | None = None
    result: str | None = None
    user: UserId | None = None
    ownerless: bool = False
    within: tuple[WorkspaceId, ...] | None = None


def of_scope(
    at: datetime,
    operation: Operation,
    scope: Scope,
    actor: str | None,
    *,
    result: str = GRANTED,
    detail: str = "",
    peer: Peer | None = None,
) -> LedgerEntry:
    return LedgerEntry(
        at,
        operation,
        result,
        scope.workspace,
        scope.task,
        scope.session,
        scope.execution,
        scope.repository,
        scope.identity,
        actor,
        detail,
        peer,
    )


def of_authority(
    at: datetime,
    operation: Operation,
    result: str,
    execution: ExecutionId,
    identity: RepositoryIdentity,
    authority: Authority | None,
    peer: Peer | None,
) -> LedgerEntry:
    """What is known of a refusal that no lease could be found for."""
    repositories = authority.repositories.items() if authority else ()
    connection = authority.connection if authority else None
    return LedgerEntry(
        at,
        operation,
        result,
        authority.workspace if authority else None,
        authority.task if authority else None,
        authority.session if authority else None,
        execution,
        next((each for each, known in repositories if known == identity), None),
        identity,
        connection.login if connection else None,
        peer=peer,
    )


def revocation(at: datetime, lease: LeaseRecord, actor: str | None, why: Why) -> LedgerEntry:
    return of_scope(at, Operation.REVOKE, lease.scope, actor, result=REVOKED, detail=why.value)


def kept_from(now: datetime) -> datetime:
    """Entries from before this moment are pruned."""
    return now - LEDGER_LIFE


def record_of(entry: LedgerEntry) -> dict[str, str | int | None]:
    """The entry by the names of `COLUMNS`, in JSON's own types; the time is RFC 3339 in UTC."""
    peer = entry.peer
    return {
        "sequence": entry.sequence,
        "at": entry.at.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z",
        "operation": entry.operation.value,
        "result": entry.result,
        "detail": entry.detail,
        "workspace_id": entry.workspace,
        "task_id": entry.task,
        "session_id": entry.session,
        "execution_id": entry.execution,
        "repository_id": entry.repository,
        "host": entry.identity.host,
        "path": entry.identity.path,
        "actor": entry.actor,
        "pid": peer.pid if peer else None,
        "descent": peer.descent.value if peer else None,
        "redemption": entry.redemption,
    }


def json_line(entry: LedgerEntry) -> str:
    return json.dumps(record_of(entry), separators=(",", ":")) + "\n"


def csv_line(entry: LedgerEntry | None) -> str:
    """The entry as RFC 4180 has it, or the header.

    A cell that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    cells = COLUMNS if entry is None else map(_cell, record_of(entry).values())
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue()


def _cell(value: str | int | None) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
