"""Where the credential of a connection comes from at the moment of use, by the kind of connection.

A credential lives in memory only. What is kept of it, and for how long, is the source's affair.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from domain.connection import Connection
from domain.outcome import Result
from domain.repository import RepositoryIdentity
from domain.secret import Secret

__all__ = ("CredentialSource", "NoCredential", "SourceFault", "SourcedCredential")


@dataclass(frozen=True, slots=True)
class SourcedCredential:
    """A password for git, and when the one who gave it says that it expires."""

    secret: Secret
    expires: datetime | None = None


class SourceFault(StrEnum):
    """Why there is none now, stable on the wire."""

    SEALED = "secret_unavailable"
    TOOL_MISSING = "gh_not_installed"
    SIGNED_OUT = "gh_account_missing"
    REFUSED = "credential_source_refused"
    UNREACHABLE = "credential_source_unreachable"


@dataclass(frozen=True, slots=True)
class NoCredential:
    """There is none now; nothing is revoked for it. `account` is whose it is, if that is known."""

    fault: SourceFault
    account: str = ""


class CredentialSource(Protocol):
    async def __call__(
        self, connection: Connection, stored: Secret | None, identity: RepositoryIdentity
    ) -> Result[SourcedCredential, NoCredential]:
        """The credential for one repository. `stored` is the connection's opened secret, if any."""
        ...
