"""Access tokens: what a client shows instead of the home's own token, with less authority.

Shown once, when it is made; what is kept of it is the SHA-256 of its text, which 256 random bits
need no salt for. One that has expired, was revoked or never was opens the same nothing.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Final, TypeAlias, assert_never

from domain.identity import SignInId, TokenId, UserId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Execution, Internal, Principal, Token, User
from domain.secret import Secret
from domain.workspace import InvalidName, check_name

__all__ = (
    "HOME_TOKEN",
    "MAX_LIFE_DAYS",
    "MAX_WORKSPACES",
    "RANDOM_BYTES",
    "AccessToken",
    "Bearer",
    "InvalidLife",
    "InvalidLimits",
    "InvalidScopes",
    "Scope",
    "TokenFault",
    "Wanted",
    "bearer_of",
    "check",
    "digest",
    "keeps_tokens",
    "needed",
    "spell",
)

HOME_TOKEN: Final = TokenId("home")
"""The token in the home, which opens everything and is in no list."""
MAX_LIFE_DAYS: Final = 365
MAX_WORKSPACES: Final = 32
"""To which one token can be limited."""
RANDOM_BYTES: Final = 32

_SHAPE: Final = re.compile(r"kdt_[A-Za-z0-9_-]{43}")
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Scope(StrEnum):
    """What a token opens; neither holds the other."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class AccessToken:
    """`digest` is the SHA-256 of its text in hexadecimal; it opens nothing from `expires_at` on.

    It is limited to `workspaces`; None are all that its user has.
    """

    id: TokenId
    user: UserId
    name: str
    digest: str
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime
    workspaces: frozenset[WorkspaceId] | None = None


@dataclass(frozen=True, slots=True)
class Bearer:
    """For whom a token, or a browser that is signed in, speaks, and what of it that opens.

    `sign_in` is the browser's; a token has none.
    """

    principal: Token | User
    scopes: frozenset[Scope]
    sign_in: SignInId | None = None


@dataclass(frozen=True, slots=True)
class InvalidScopes:
    """None at all, or one that there is not."""


@dataclass(frozen=True, slots=True)
class InvalidLife:
    """Not from 1 to `MAX_LIFE_DAYS` days."""

    days: int


@dataclass(frozen=True, slots=True)
class InvalidLimits:
    """Limited to no workspace at all, or to more than `MAX_WORKSPACES`."""

    count: int


TokenFault: TypeAlias = InvalidName | InvalidScopes | InvalidLife | InvalidLimits


@dataclass(frozen=True, slots=True)
class Wanted:
    name: str
    scopes: frozenset[Scope]
    life: timedelta
    workspaces: frozenset[WorkspaceId] | None


def check(
    name: str, scopes: Iterable[str], days: int, workspaces: Collection[WorkspaceId] | None
) -> Result[Wanted, TokenFault]:
    """What a client asked for, as a token may have it; None limits it to none in particular."""
    named = check_name(name)
    if failed(named):
        return named
    asked, known = set(scopes), {each.value for each in Scope}
    if not asked or not asked <= known:
        return Failure(InvalidScopes())
    if not 1 <= days <= MAX_LIFE_DAYS:
        return Failure(InvalidLife(days))
    limits = None if workspaces is None else frozenset(workspaces)
    if limits is not None and not 1 <= len(limits) <= MAX_WORKSPACES:
        return Failure(InvalidLimits(len(limits)))
    life = timedelta(days=days)
    return Success(Wanted(named.unwrap(), frozenset(map(Scope, asked)), life, limits))


def spell(random: bytes) -> Secret:
    """The text of a token. Raises ValueError for anything but `RANDOM_BYTES`."""
    if len(random) != RANDOM_BYTES:
        raise ValueError("a token is made of 32 random bytes")
    return Secret("kdt_" + urlsafe_b64encode(random).rstrip(b"=").decode())


def digest(shown: str) -> str | None:
    """By what a token is found; None for a text that no token has."""
    return sha256(shown.encode()).hexdigest() if _SHAPE.fullmatch(shown) else None


def bearer_of(token: AccessToken, now: datetime) -> Bearer | None:
    """None once it has expired."""
    if now >= token.expires_at:
        return None
    return Bearer(Token(token.id, token.user, token.workspaces), token.scopes)


def needed(method: str) -> Scope:
    """The scope of a request; whatever does not only read, a WebSocket's handshake too, writes."""
    return Scope.READ if method in _READS else Scope.WRITE


def keeps_tokens(principal: Principal) -> bool:
    """Whether it may make, list and revoke tokens: none that was made itself may."""
    match principal:
        case User():
            return True
        case Token(id=key):
            return key == HOME_TOKEN
        case Execution() | Internal():
            return False
        case _:
            assert_never(principal)
