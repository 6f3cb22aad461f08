"""Whom a bearer token stands for."""

from typing import Protocol

from domain.access_token import Bearer

__all__ = ("Tokens",)


class Tokens(Protocol):
    async def bearer(self, shown: str) -> Bearer | None:
        """Whom a valid token stands for, and what it opens. None for any other text.

        Raises `StoreUnavailable` where the store cannot be asked.
        """
        ...
