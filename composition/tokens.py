"""The bearer token of the home's owner."""

import hmac

from typing_extensions import override

from domain.identity import TokenId, UserId
from domain.principal import Token
from domain.secret import Secret
from ports.tokens import Tokens

__all__ = ("OwnerToken",)


class OwnerToken(Tokens):
    """One token, for the one owner of the home."""

    def __init__(self, token: Secret) -> None:
        self._token = token

    @override
    def principal(self, shown: str) -> Token | None:
        if hmac.compare_digest(shown.encode(), self._token.reveal().encode()):
            return Token(TokenId("home"), UserId("owner"))
        return None
