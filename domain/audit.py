"""The audit log: who did what to the doors and the keys of an installation, and never a value.

Entries are added and go only by age; none is changed. The ledger tells of leases, this of the rest.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, assert_never

from domain.identity import UserId, WorkspaceId
from domain.principal import Execution, Internal, Principal, Token, User

__all__ = (
    "AUDIT_LIFE",
    "MAX_AUDIT_PAGE",
    "NOBODY",
    "AuditEntry",
    "AuditQuery",
    "Deed",
    "actor_of",
    "json_line",
    "kept_from",
    "record_of",
    "user_of",
)

AUDIT_LIFE: Final = timedelta(days=400)
"""How long an entry is kept."""
MAX_AUDIT_PAGE: Final = 500
NOBODY: Final = "nobody"
"""The actor of what was asked without a credential."""


class Deed(StrEnum):
    """What was done, stable on the wire."""

    HOME_CLAIMED = "home_claimed"
    SIGNED_IN = "signed_in"
    SIGN_IN_REFUSED = "sign_in_refused"
    SIGN_IN_ENDED = "sign_in_ended"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 -- a deed, no secret
    INVITED = "invited"
    INVITATION_REVOKED = "invitation_revoked"
    INVITATION_ACCEPTED = "invitation_accepted"
    ACCOUNT_CHANGED = "account_changed"
    TOKEN_MADE = "token_made"  # noqa: S105 -- a deed, no secret
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 -- a deed, no secret
    WORKSPACE_MADE = "workspace_made"
    WORKSPACE_DELETED = "workspace_deleted"
    WORKSPACE_HANDED_OVER = "workspace_handed_over"
    MEMBER_ADDED = "member_added"
    MEMBER_REMOVED = "member_removed"
    POLICY_CHANGED = "policy_changed"
    CONNECTION_PUT = "connection_put"
    CONNECTION_REMOVED = "connection_removed"
    SECRETS_USED = "secrets_used"
    LEDGER_EXPORTED = "ledger_exported"
    AUDIT_EXPORTED = "audit_exported"
    BUNDLE_ASKED = "bundle_asked"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line; `sequence` is 0 until it is stored.

    `actor` is who acted, by kind and id; `user` for whom, None where nobody is known. `subject` is
    the id of what it was done to. `detail` has names and words of ours, and no text of a client.
    """

    at: datetime
    deed: Deed
    actor: str
    user: UserId | None
    subject: str
    workspace: WorkspaceId | None = None
    detail: str = ""
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """A page in the order of numbers, after `after`.

    `owner` sees what was done to the workspaces that the user owns and what the user did;
    `installation` besides, what was done to no workspace that there is.
    """

    after: int
    limit: int
    owner: UserId
    installation: bool


def actor_of(principal: Principal) -> str:
    match principal:
        case User(id=key):
            return f"user:{key}"
        case Token(id=key):
            return f"token:{key}"
        case Execution(id=key):
            return f"execution:{key}"
        case Internal(purpose=purpose):
            return f"system:{purpose.value}"
        case _:
            assert_never(principal)


def user_of(principal: Principal) -> UserId | None:
    """For whom the principal acts."""
    match principal:
        case User(id=user) | Token(user=user):
            return user
        case Execution() | Internal():
            return None
        case _:
            assert_never(principal)


def kept_from(now: datetime) -> datetime:
    """Entries from before this moment are pruned."""
    return now - AUDIT_LIFE


def record_of(entry: AuditEntry) -> dict[str, str | int | None]:
    """The entry in JSON's own types; the time is RFC 3339 in UTC."""
    return {
        "sequence": entry.sequence,
        "at": entry.at.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z",
        "deed": entry.deed.value,
        "actor": entry.actor,
        "user_id": entry.user,
        "subject": entry.subject,
        "workspace_id": entry.workspace,
        "detail": entry.detail,
    }


def json_line(entry: AuditEntry) -> str:
    return json.dumps(record_of(entry), separators=(",", ":")) + "\n"
