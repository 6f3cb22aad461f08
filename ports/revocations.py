"""Word of a token that was revoked, to whoever serves a connection that it opened."""

import asyncio
from contextlib import AbstractContextManager
from typing import Protocol

from domain.identity import TokenId

__all__ = ("Revocations",)


class Revocations(Protocol):
    def tell(self, token: TokenId) -> None:
        """The token opens nothing any more."""
        ...

    def heard(self, token: TokenId) -> AbstractContextManager[asyncio.Event]:
        """Set once the token is revoked, at once where it just was."""
        ...
