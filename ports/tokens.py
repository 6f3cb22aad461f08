"""Whom a bearer token or a browser's cookie stands for.

Both raise `StoreUnavailable` where the store cannot be asked.
"""

from typing import Protocol

from domain.access_token import Bearer

__all__ = ("Tokens",)


class Tokens(Protocol):
    async def bearer(self, shown: str) -> Bearer | None:
        """Whom a valid token stands for, and what it opens. None for any other text."""
        ...

    async def signed_in(self, cookie: str) -> Bearer | None:
        """Who is signed in with a cookie. None for any other text, and once that has ended."""
        ...
