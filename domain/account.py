"""Accounts: the users of an installation, what they may administer, and what a password is.

An e-mail address is the name that a user signs in with: written small, without blanks around it,
and never written to. Who administers has accounts and invitations in hand, and nobody's data.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from domain.identity import UserId
from domain.outcome import Failure, Result, Success
from domain.secret import Secret

__all__ = (
    "MAX_EMAIL",
    "MAX_PASSWORD",
    "MIN_PASSWORD",
    "Account",
    "AdminOnly",
    "EmailTaken",
    "InvalidEmail",
    "InvalidPassword",
    "LastAdmin",
    "Role",
    "check_email",
    "check_password",
    "leaves_an_admin",
)

MAX_EMAIL: Final = 254
"""Characters of an address (RFC 5321, 4.5.3.1.3, without the angle brackets)."""
MIN_PASSWORD: Final = 8
MAX_PASSWORD: Final = 1024
"""Characters of a password."""

_EMAIL: Final = re.compile(r"[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+")


class Role(StrEnum):
    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Account:
    """`active`: the user may act; an account that is not keeps all that belongs to it."""

    id: UserId
    email: str
    name: str
    role: Role
    active: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class InvalidEmail:
    """Not a name, one `@` and a name, or longer than `MAX_EMAIL`."""


@dataclass(frozen=True, slots=True)
class InvalidPassword:
    """Not from `MIN_PASSWORD` to `MAX_PASSWORD` characters."""

    length: int


@dataclass(frozen=True, slots=True)
class EmailTaken:
    """Another account signs in with the address."""


@dataclass(frozen=True, slots=True)
class LastAdmin:
    """Nobody would be left to administer the installation."""


@dataclass(frozen=True, slots=True)
class AdminOnly:
    """Only who administers the installation does this."""


def check_email(text: str) -> Result[str, InvalidEmail]:
    """The address as it is stored and compared."""
    email = text.strip().lower()
    if len(email) > MAX_EMAIL or not _EMAIL.fullmatch(email):
        return Failure(InvalidEmail())
    return Success(email)


def check_password(password: Secret) -> Result[Secret, InvalidPassword]:
    length = len(password.reveal())
    if not MIN_PASSWORD <= length <= MAX_PASSWORD:
        return Failure(InvalidPassword(length))
    return Success(password)


def leaves_an_admin(before: Account, after: Account, active_admins: int) -> bool:
    """Whether the change of one account leaves somebody who administers."""
    return active_admins - _administers(before) + _administers(after) > 0


def _administers(account: Account) -> bool:
    return account.active and account.role is Role.ADMIN
