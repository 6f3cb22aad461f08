"""Connections: whose credential a workspace uses at one forge. A connection holds no secret.

What a forge wants as the user name beside a token is a rule of its kind, decided here once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.identity import ConnectionId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.repository import parse_host
from domain.secret import Secret

__all__ = (
    "MAX_AUTHORITY_LENGTH",
    "MAX_LOGIN_LENGTH",
    "MAX_SECRET_BYTES",
    "Connection",
    "Description",
    "Fault",
    "InvalidConnection",
    "Kind",
    "Status",
    "check",
    "check_secret",
    "describe",
    "likely_kind",
    "serving",
    "username",
)

MAX_LOGIN_LENGTH = 255
"""Characters of a login."""
MAX_SECRET_BYTES = 16 * 1_024
"""Bytes of a token in UTF-8; the longest seen in the wild (a JWT) is a tenth of it."""
MAX_AUTHORITY_LENGTH = 64 * 1_024
"""Characters of a certificate bundle."""


class Kind(StrEnum):
    """How the credential is had; the value is the word that the session snapshot discloses."""

    PAT = "pat"
    GH_CLI = "gh_cli"
    GITHUB_APP = "github_app_installation"
    GITLAB = "gitlab_token"
    GITEA = "gitea_token"
    BITBUCKET = "bitbucket_token"
    GIT = "git_token"


class Status(StrEnum):
    """Whether a connection can be used; only an active one is."""

    ACTIVE = "active"
    INVALID = "invalid"
    SUSPENDED = "suspended"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Connection:
    """A workspace's identity at a host.

    `host` is spelled as `repository.parse_host` spells it. `login` is who the forge said the secret
    belongs to, an App's name for an App, None when nothing told. `revision` is never given twice,
    not even after a removal: a lease is bound to it. `certificate_authority` is PEM text. `account`
    is where an App is installed.
    """

    id: ConnectionId
    workspace: WorkspaceId
    host: str
    kind: Kind
    login: str | None
    status: Status
    revision: int
    certificate_authority: str | None = None
    account: str | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """What anyone in the workspace may read of a connection; `actor` is None when unknown."""

    host: str
    method: str
    actor: str | None
    status: Status
    account: str | None = None


class Fault(StrEnum):
    """Which part of a connection is wrong."""

    HOST = "host"
    METHOD = "method"
    LOGIN = "login"
    LOGIN_MISSING = "login_missing"
    SECRET = "secret"  # noqa: S105 -- the name of the part, not one
    AUTHORITY = "certificate_authority"


@dataclass(frozen=True, slots=True)
class InvalidConnection:
    """The connection cannot be made as asked; nothing of it is repeated."""

    fault: Fault


_USERNAMES = {
    Kind.PAT: "x-access-token",
    Kind.GH_CLI: "x-access-token",
    Kind.GITHUB_APP: "x-access-token",
    Kind.GITLAB: "oauth2",
    Kind.GITEA: "oauth2",
    Kind.BITBUCKET: "x-token-auth",
    Kind.GIT: "git",
}
_ANY_USER = frozenset({Kind.PAT, Kind.GH_CLI, Kind.GITHUB_APP})
_LIKELY = {
    "github.com": Kind.PAT,
    "gitlab.com": Kind.GITLAB,
    "codeberg.org": Kind.GITEA,
    "bitbucket.org": Kind.BITBUCKET,
}


def username(kind: Kind, login: str | None) -> str:
    """The user name that git sends with the secret.

    GitHub reads the token alone. The others take the login where one is known, since a GitLab
    deploy token or a plain server checks it, and else the word that stands for "a token".
    """
    return _USERNAMES[kind] if kind in _ANY_USER or not login else login


def likely_kind(host: str) -> Kind:
    """The kind of a token for a host that says nothing more; `GIT` fits every other server."""
    return _LIKELY.get(host, Kind.GIT)


def serving(connections: Sequence[Connection], host: str) -> Connection | None:
    """The connection that serves a host: the active one if there is one, else what stands for it.

    Whoever redeems, clones or describes asks here, so that no two can take different ones.
    """
    at_host = [connection for connection in connections if connection.host == host]
    active = (connection for connection in at_host if connection.status is Status.ACTIVE)
    return next(active, at_host[0] if at_host else None)


def describe(connection: Connection) -> Description:
    return Description(
        connection.host,
        connection.kind.value,
        connection.login or None,
        connection.status,
        connection.account,
    )


def check(
    kind: Kind, host: str, login: str | None, certificate_authority: str | None
) -> Result[str, InvalidConnection]:
    """Hold what a client asks for to the rules; the host comes back in its one spelling."""
    spelled = parse_host(host.strip())
    if failed(spelled):
        return Failure(InvalidConnection(Fault.HOST))
    if kind is Kind.GH_CLI and not login:
        return Failure(InvalidConnection(Fault.LOGIN_MISSING))
    if login is not None and not _is_login(login):
        return Failure(InvalidConnection(Fault.LOGIN))
    if certificate_authority is not None and not _is_authority(certificate_authority):
        return Failure(InvalidConnection(Fault.AUTHORITY))
    return Success(spelled.unwrap())


def check_secret(secret: Secret) -> Result[Secret, InvalidConnection]:
    """A secret that can travel in git's protocol: one printable line, without blanks around it."""
    value = secret.reveal()
    usable = (
        value
        and value.isprintable()
        and value == value.strip()
        and len(value.encode()) <= MAX_SECRET_BYTES
    )
    return Success(secret) if usable else Failure(InvalidConnection(Fault.SECRET))


def _is_login(login: str) -> bool:
    """A colon would shift the rest into the password; a blank or a control breaks the protocol."""
    return (
        0 < len(login) <= MAX_LOGIN_LENGTH
        and login.isprintable()
        and not any(mark.isspace() or mark == ":" for mark in login)
    )


def _is_authority(text: str) -> bool:
    """Certificates and nothing that must stay secret; what they say is the edge's to verify."""
    return (
        len(text) <= MAX_AUTHORITY_LENGTH
        and text.isascii()
        and "-----BEGIN CERTIFICATE-----" in text
        and "-----END CERTIFICATE-----" in text
        and "PRIVATE KEY" not in text
    )
