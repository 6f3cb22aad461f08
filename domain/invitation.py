"""Invitations: what lets somebody make an account, once, for some days."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.account import Role
from domain.identity import InvitationId, UserId
from domain.outcome import Failure, Result, Success

__all__ = (
    "INVITATION_DAYS",
    "MAX_INVITATION_DAYS",
    "InvalidDays",
    "Invitation",
    "check_days",
    "is_open",
    "suits",
)

INVITATION_DAYS: Final = 7
MAX_INVITATION_DAYS: Final = 90


@dataclass(frozen=True, slots=True)
class Invitation:
    """`digest` is the SHA-256 of its text; with an `email` it is for that address alone."""

    id: InvitationId
    digest: str
    email: str | None
    role: Role
    by: UserId
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class InvalidDays:
    """Not from 1 to `MAX_INVITATION_DAYS`."""

    days: int


def check_days(days: int) -> Result[timedelta, InvalidDays]:
    if not 1 <= days <= MAX_INVITATION_DAYS:
        return Failure(InvalidDays(days))
    return Success(timedelta(days=days))


def is_open(invitation: Invitation, now: datetime) -> bool:
    return now < invitation.expires_at


def suits(invitation: Invitation, email: str) -> bool:
    """Whether somebody with the address, in its one spelling, may take it."""
    return invitation.email is None or invitation.email == email
