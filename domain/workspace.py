"""Workspaces: what owns connections, repositories and tasks, and chooses the credential policy."""

from dataclasses import dataclass
from datetime import datetime

from domain.credential_policy import Mode
from domain.identity import UserId, WorkspaceId
from domain.outcome import Failure, Result, Success

__all__ = ("MAX_NAME", "InvalidName", "UnknownMode", "Workspace", "check_name", "parse_mode")

MAX_NAME = 120
"""The longest name of a workspace or title of a task, in characters."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """`accepts_netrc`: managed access goes on beside a `.netrc` that could answer in its place."""

    id: WorkspaceId
    owner: UserId
    name: str
    mode: Mode
    created_at: datetime
    accepts_netrc: bool = False


@dataclass(frozen=True, slots=True)
class InvalidName:
    """The name is blank, longer than `MAX_NAME` or holds a control character."""

    length: int


@dataclass(frozen=True, slots=True)
class UnknownMode:
    """The text names no credential policy."""


def check_name(text: str) -> Result[str, InvalidName]:
    name = text.strip()
    if not name or len(name) > MAX_NAME or any(ord(char) < 32 or ord(char) == 127 for char in name):
        return Failure(InvalidName(len(name)))
    return Success(name)


def parse_mode(text: str) -> Result[Mode, UnknownMode]:
    """Read a policy as a client writes it: blanks around it and case do not matter."""
    folded = text.strip().lower()
    found = next((mode for mode in Mode if mode.value == folded), None)
    return Success(found) if found else Failure(UnknownMode())
