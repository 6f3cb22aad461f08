"""Accounts as values to store."""

from datetime import UTC, datetime

from domain.account import Account, Role
from domain.identity import UserId

__all__ = ("account_of",)


def account_of(user: UserId, role: Role = Role.MEMBER) -> Account:
    """An active one whose address begins with the id."""
    born = datetime(2026, 1, 1, tzinfo=UTC)
    return Account(user, f"{user}@example.org", user.title(), role, True, born)
