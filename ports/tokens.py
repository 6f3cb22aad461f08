"""Whom a bearer token stands for."""

from typing import Protocol

from domain.principal import Token

__all__ = ("Tokens",)


class Tokens(Protocol):
    def principal(self, shown: str) -> Token | None:
        """The principal of a valid token; takes as long for a wrong one. None for any other."""
        ...
