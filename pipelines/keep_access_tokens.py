"""Access tokens of a user: make one, list them, revoke one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from domain.access import NotFound
from domain.access_token import (
    RANDOM_BYTES,
    AccessToken,
    TokenFault,
    check,
    digest,
    keeps_tokens,
    spell,
)
from domain.audit import Deed
from domain.identity import TokenId, UserId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal, Token, User
from domain.secret import Secret
from pipelines.audited import audited
from pipelines.authority import holds
from ports.clock import Clock
from ports.ids import Ids
from ports.redactor import Redactor
from ports.revocations import Revocations
from ports.store import Store

__all__ = ("AccessTokenProblem", "Issued", "KeepAccessTokens")

AccessTokenProblem: TypeAlias = NotFound | TokenFault


@dataclass(frozen=True, slots=True)
class Issued:
    """A token with its text, which is told this once."""

    token: AccessToken
    shown: Secret = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeepAccessTokens:
    """To whoever may not, there are no tokens: all that is answered is `NotFound`."""

    store: Store
    clock: Clock
    ids: Ids
    redactor: Redactor
    revocations: Revocations

    async def create(
        self,
        principal: Principal,
        name: str,
        scopes: Sequence[str],
        days: int,
        workspaces: Sequence[WorkspaceId] | None = None,
    ) -> Result[Issued, AccessTokenProblem]:
        """A new one, whose text is hidden from every sink before anybody has it.

        It may be limited to workspaces in which its user works.
        """
        user = _keeper(principal)
        if user is None:
            return Failure(NotFound("token"))
        checked = check(name, scopes, days, workspaces)
        if failed(checked):
            return checked
        wanted, now = checked.unwrap(), self.clock.now()
        shown = spell(self.ids.random(RANDOM_BYTES))
        self.redactor.register(shown)
        token = AccessToken(
            TokenId(self.ids.new("tok")),
            user,
            wanted.name,
            digest(shown.reveal()) or "",
            wanted.scopes,
            now,
            now + wanted.life,
            wanted.workspaces,
        )
        async with self.store.write() as unit:
            for each in wanted.workspaces or ():
                if not await holds(unit, principal, each):
                    return Failure(NotFound("workspace"))
            await unit.add_access_token(token)
            scopes = " ".join(sorted(token.scopes))
            await audited(unit, now, Deed.TOKEN_MADE, principal, token.id, detail=scopes)
        return Success(Issued(token, shown))

    async def page(
        self, principal: Principal, after: str | None, limit: int
    ) -> Result[Sequence[AccessToken], NotFound]:
        """By id, strictly after `after`, those that have expired too."""
        user = _keeper(principal)
        if user is None:
            return Failure(NotFound("token"))
        async with self.store.read() as state:
            return Success(await state.access_tokens(user, after, limit))

    async def revoke(self, principal: Principal, token: TokenId) -> Result[None, NotFound]:
        """The next request that shows it is refused, and what it holds open ends."""
        user = _keeper(principal)
        if user is None:
            return Failure(NotFound("token"))
        async with self.store.write() as unit:
            removed = await unit.remove_access_token(user, token)
            if removed:
                await audited(unit, self.clock.now(), Deed.TOKEN_REVOKED, principal, token)
        if not removed:
            return Failure(NotFound("token"))
        self.revocations.tell(token)
        return Success(None)


def _keeper(principal: Principal) -> UserId | None:
    if not keeps_tokens(principal):
        return None
    match principal:
        case User(id=user) | Token(user=user):
            return user
        case _:
            return None
