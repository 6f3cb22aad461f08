"""Who works in a workspace: its owner, and the members that the owner took in."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from domain.access import NotFound, OwnerOnly
from domain.account import Account, InvalidEmail
from domain.identity import UserId

__all__ = ("MAX_MEMBERS", "KnownMember", "Member", "MembersProblem", "OwnerStays", "TooManyMembers")

MAX_MEMBERS: Final = 100
"""Members of one workspace, its owner not counted."""


@dataclass(frozen=True, slots=True)
class Member:
    """A user, and since when that user works in the workspace."""

    user: UserId
    since: datetime


@dataclass(frozen=True, slots=True)
class KnownMember:
    """A member, by the account of that user."""

    member: Member
    account: Account


@dataclass(frozen=True, slots=True)
class TooManyMembers:
    """The workspace has `MAX_MEMBERS`."""


@dataclass(frozen=True, slots=True)
class OwnerStays:
    """A workspace has an owner, who is no member of it: another one can be made its owner."""


MembersProblem: TypeAlias = NotFound | OwnerOnly | OwnerStays | TooManyMembers | InvalidEmail
