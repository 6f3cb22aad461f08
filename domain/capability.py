"""Capabilities: what lets agentctl have a lease issued anew after a restart or a rotation.

A capability is a scope and a time, sealed by a key that only the control plane has. It is no
authority by itself: what it says is held against the live state, like every lease. The sealing is
an adapter's; what is sealed, and how it travels, is here.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from domain.connection import Connection
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId, WorkspaceId
from domain.lease import Authority, LeaseRefusal, Refusal, Scope, may_issue
from domain.outcome import Failure, Result, Success
from domain.repository import RepositoryIdentity
from domain.secret import Secret

__all__ = (
    "CAPABILITY_LIFE",
    "KEY_ID_BYTES",
    "MAX_CAPABILITY_LENGTH",
    "MAX_SKEW",
    "NONCE_BYTES",
    "Claims",
    "Sealed",
    "associated",
    "decode",
    "encode",
    "frame",
    "may_reissue",
    "unframe",
)

CAPABILITY_LIFE = timedelta(days=30)
"""From issue to the end of its use; the session that it is for usually ends long before."""
MAX_SKEW = timedelta(minutes=5)
"""How far in the future a capability may have been issued: clocks are set back."""
MAX_CAPABILITY_LENGTH = 16_384
"""Characters of a capability; a scope with the longest path fits."""
KEY_ID_BYTES = 8
NONCE_BYTES = 12

_PREFIX = "kdc_"
_VERSION = 1
_SHAPE = re.compile(r"kdc_[A-Za-z0-9_-]+")
_IDS = ("workspace", "task", "session", "execution", "repository")


@dataclass(frozen=True, slots=True)
class Claims:
    """What a capability says: for which scope, and when it was issued (to the second)."""

    scope: Scope
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class Sealed:
    """A capability as it travels: which key opens it, and what the key opens."""

    key_id: bytes
    nonce: bytes
    ciphertext: bytes


def encode(claims: Claims) -> bytes:
    """The plain text to seal."""
    scope = claims.scope
    fields = {
        "version": _VERSION,
        "workspace": scope.workspace,
        "task": scope.task,
        "session": scope.session,
        "execution": scope.execution,
        "repository": scope.repository,
        "host": scope.identity.host,
        "path": scope.identity.path,
        "issued_at": int(claims.issued_at.timestamp()),
    }
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()


def decode(plain: bytes) -> Result[Claims, LeaseRefusal]:
    """Read what was sealed; only the exact version is understood."""
    try:
        fields: object = json.loads(plain)
    except (ValueError, RecursionError):
        return Failure(LeaseRefusal(Refusal.INVALID))
    match fields:
        case {
            "version": int(version),
            "workspace": str(workspace),
            "task": str(task),
            "session": str(session),
            "execution": str(execution),
            "repository": str(repository),
            "host": str(host),
            "path": str(path),
            "issued_at": int(issued),
        } if _is_ours(version) and type(issued) is int and 0 <= issued < 2**35:
            scope = Scope(
                WorkspaceId(workspace),
                TaskId(task),
                SessionId(session),
                ExecutionId(execution),
                RepositoryId(repository),
                RepositoryIdentity(host, path),
            )
            return Success(Claims(scope, datetime.fromtimestamp(issued, UTC)))
        case _:
            return Failure(LeaseRefusal(Refusal.INVALID))


def _is_ours(version: int) -> bool:
    return type(version) is int and version == _VERSION


def associated(key_id: bytes) -> bytes:
    """The associated data: a ciphertext opens under its own key id and purpose only."""
    return b"kandev.capability.v1:" + key_id


def frame(sealed: Sealed) -> Secret:
    """How a sealed capability travels."""
    if len(sealed.key_id) != KEY_ID_BYTES or len(sealed.nonce) != NONCE_BYTES:
        raise ValueError("a key id has 8 bytes and a nonce 12")
    body = sealed.key_id + sealed.nonce + sealed.ciphertext
    return Secret(_PREFIX + urlsafe_b64encode(body).rstrip(b"=").decode())


def unframe(capability: Secret) -> Result[Sealed, LeaseRefusal]:
    """What a capability must be before a key is tried on it."""
    text = capability.reveal()
    body = text.removeprefix(_PREFIX)
    if len(text) > MAX_CAPABILITY_LENGTH or not _SHAPE.fullmatch(text) or len(body) % 4 == 1:
        return Failure(LeaseRefusal(Refusal.INVALID))
    raw = urlsafe_b64decode(body + "=" * (-len(body) % 4))
    head = KEY_ID_BYTES + NONCE_BYTES
    if len(raw) <= head:
        return Failure(LeaseRefusal(Refusal.INVALID))
    return Success(Sealed(raw[:KEY_ID_BYTES], raw[KEY_ID_BYTES:head], raw[head:]))


def may_reissue(
    claims: Claims,
    authority: Authority | None,
    execution: ExecutionId,
    identity: RepositoryIdentity,
    live_leases: int,
    now: datetime,
) -> Result[Connection, LeaseRefusal]:
    """The connection that a new lease would be bound to, if the execution may have one again.

    The connection may have changed since: that is what a capability is for. Session, task,
    repository and execution must still stand as they were sealed.
    """
    if (claims.scope.execution, claims.scope.identity) != (execution, identity):
        return Failure(LeaseRefusal(Refusal.DENIED))
    if claims.issued_at > now + MAX_SKEW:
        return Failure(LeaseRefusal(Refusal.INVALID))
    if now >= claims.issued_at + CAPABILITY_LIFE:
        return Failure(LeaseRefusal(Refusal.EXPIRED))
    return may_issue(claims.scope, authority, live_leases)
