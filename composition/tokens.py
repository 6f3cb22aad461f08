"""The bearer tokens of a home: its own, which opens everything, and those that were made."""

import hmac
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from domain.access_token import HOME_TOKEN, Bearer, Scope, bearer_of, digest
from domain.principal import HOME_OWNER, Token
from domain.secret import Secret
from ports.clock import Clock
from ports.store import Store
from ports.tokens import Tokens

__all__ = ("HomeTokens",)

_HOME: Final = Bearer(Token(HOME_TOKEN, HOME_OWNER, None), frozenset(Scope))


@dataclass(frozen=True, slots=True)
class HomeTokens(Tokens):
    """The home's own acts for its owner, another for the user who made it."""

    home: Secret
    store: Store
    clock: Clock

    @override
    async def bearer(self, shown: str) -> Bearer | None:
        if hmac.compare_digest(shown.encode(), self.home.reveal().encode()):
            return _HOME
        key = digest(shown)
        if key is None:
            return None
        async with self.store.read() as state:
            found = await state.access_token(key)
        return None if found is None else bearer_of(found, self.clock.now())
