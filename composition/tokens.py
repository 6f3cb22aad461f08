"""What opens a home: its own token, those that were made, and browsers that are signed in."""

import hmac
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from domain import shown_once
from domain.access_token import HOME_TOKEN, Bearer, Scope, bearer_of, digest
from domain.principal import HOME_OWNER, Token, User
from domain.secret import Secret
from domain.shown_once import Kind
from domain.sign_in import SignIn, lasts, seen
from ports.clock import Clock
from ports.store import Store, StoreUnavailable
from ports.tokens import Tokens

__all__ = ("HomeTokens",)

_HOME: Final = Bearer(Token(HOME_TOKEN, HOME_OWNER, None), frozenset(Scope))


@dataclass(frozen=True, slots=True)
class HomeTokens(Tokens):
    """The home's own acts for its owner, another for the user who made it.

    What a user has opens nothing while the account of that user is not active.
    """

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
            account = await state.account(found.user) if found is not None else None
        if found is None or (account is not None and not account.active):
            return None
        return bearer_of(found, self.clock.now())

    @override
    async def signed_in(self, cookie: str) -> Bearer | None:
        key = shown_once.digest(Kind.SIGN_IN, cookie)
        if key is None:
            return None
        now = self.clock.now()
        async with self.store.read() as state:
            found = await state.sign_in(key)
            account = await state.account(found.user) if found is not None else None
        if found is None or account is None or not account.active or not lasts(found, now):
            return None
        touched = seen(found, now)
        if touched is not None:
            await self._touch(key, touched)
        return Bearer(User(account.id), frozenset(Scope), found.id)

    async def _touch(self, key: str, touched: SignIn) -> None:
        """Whoever reads is let in also where nothing can be written."""
        with suppress(StoreUnavailable):
            async with self.store.write() as unit:
                if await unit.sign_in(key) is not None:
                    await unit.put_sign_in(touched)
