"""Word of what opens nothing any more, to whoever serves a connection that it opened."""

import asyncio
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from domain.identity import SignInId, TokenId, UserId

__all__ = ("Held", "Revocations")

Held: TypeAlias = TokenId | SignInId | UserId
"""By what a connection is held open."""


class Revocations(Protocol):
    def tell(self, held: TokenId | SignInId) -> None:
        """The token was revoked, or the sign-in ended: it opens nothing any more."""
        ...

    def interrupt(self, user: UserId) -> None:
        """What the user holds open ends; the user may see less now, and may come again."""
        ...

    def heard(self, *held: Held) -> AbstractContextManager[asyncio.Event]:
        """Set once one of them is told of or interrupted, at once where it just was revoked."""
        ...
