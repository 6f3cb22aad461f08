"""Passwords: what is kept of one, and whether another is the same."""

from typing import Protocol

from domain.secret import Secret

__all__ = ("Passwords",)


class Passwords(Protocol):
    async def keep(self, password: Secret) -> str:
        """What is stored of it, from which it cannot be had back."""
        ...

    async def are_same(self, password: Secret, kept: str | None) -> bool:
        """Whether this was kept. With None it never is, and that takes no less work."""
        ...
