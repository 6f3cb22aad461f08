"""Who asks: a closed union that every use case takes; nothing defaults to more authority."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from domain.identity import ExecutionId, SessionId, TaskId, TokenId, UserId

__all__ = ("Execution", "Internal", "Principal", "Purpose", "Token", "User")


@dataclass(frozen=True, slots=True)
class User:
    """A person who signed in."""

    id: UserId


@dataclass(frozen=True, slots=True)
class Token:
    """A client that shows a bearer token; it acts for the user who made it."""

    id: TokenId
    user: UserId


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
