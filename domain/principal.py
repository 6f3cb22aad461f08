"""Who asks: a closed union that every use case takes; nothing defaults to more authority."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from domain.identity import ExecutionId, SessionId, TaskId, TokenId, UserId, WorkspaceId

__all__ = ("HOME_OWNER", "Execution", "Internal", "Principal", "Purpose", "Token", "User")

HOME_OWNER: Final = UserId("owner")
"""The user for whom the token of the home acts; what was there before users is theirs."""


@dataclass(frozen=True, slots=True)
class User:
    """A person who signed in."""

    id: UserId


@dataclass(frozen=True, slots=True)
class Token:
    """A client that shows a bearer token; it acts for the user who made it.

    It is limited to `workspaces`; None are all that its user has.
    """

    id: TokenId
    user: UserId
    workspaces: frozenset[WorkspaceId] | None


@dataclass(frozen=True, slots=True)
class Execution:
    """An agent, bound by the connection it speaks on to one task and one session of it."""

    id: ExecutionId
    task: TaskId
    session: SessionId


class Purpose(StrEnum):
    """Why the system itself acts."""

    STARTUP = "startup"
    RECOVERY = "recovery"
    RETENTION = "retention"


@dataclass(frozen=True, slots=True)
class Internal:
    """The system itself, for one stated purpose."""

    purpose: Purpose


Principal: TypeAlias = User | Token | Execution | Internal
