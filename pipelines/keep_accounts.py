"""What who administers the installation does with accounts: list them, change what they may."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from domain.access import NotFound
from domain.account import Account, AdminOnly, LastAdmin, Role, leaves_an_admin
from domain.audit import Deed
from domain.identity import SignInId, TokenId, UserId
from domain.outcome import Failure, Result, Success
from domain.principal import Principal
from pipelines.audited import audited
from pipelines.authority import administers
from pipelines.sign_in import end_sign_ins
from ports.clock import Clock
from ports.revocations import Revocations
from ports.store import Store, Writer

__all__ = ("AccountsProblem", "KeepAccounts")

AccountsProblem: TypeAlias = NotFound | AdminOnly | LastAdmin

PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class KeepAccounts:
    """It never shows or changes what belongs to them."""

    store: Store
    clock: Clock
    revocations: Revocations

    async def page(
        self, principal: Principal, after: str | None, limit: int
    ) -> Result[Sequence[Account], AdminOnly]:
        """By id, strictly after `after`."""
        async with self.store.read() as state:
            if not await administers(state, principal):
                return Failure(AdminOnly())
            return Success(await state.accounts(after, limit))

    async def change(
        self, principal: Principal, user: UserId, role: Role | None, *, active: bool | None
    ) -> Result[Account, AccountsProblem]:
        """Change what an account may; None leaves it.

        One that is not active any more is signed out everywhere, and its access tokens are gone.
        """
        over: Sequence[SignInId | TokenId] = ()
        async with self.store.write() as unit:
            if not await administers(unit, principal):
                return Failure(AdminOnly())
            found = await unit.account(user)
            if found is None:
                return Failure(NotFound("user"))
            changed = replace(
                found,
                role=found.role if role is None else role,
                active=found.active if active is None else active,
            )
            if not leaves_an_admin(found, changed, await unit.active_admins()):
                return Failure(LastAdmin())
            await unit.put_account(changed)
            now_is = f"{changed.role.value}, {'active' if changed.active else 'disabled'}"
            at = self.clock.now()
            await audited(unit, at, Deed.ACCOUNT_CHANGED, principal, user, detail=now_is)
            if not changed.active:
                over = [*await end_sign_ins(unit, user), *await _end_tokens(unit, user)]
        for each in over:
            self.revocations.tell(each)
        return Success(changed)


async def _end_tokens(unit: Writer, user: UserId) -> Sequence[TokenId]:
    ended: list[TokenId] = []
    while page := await unit.access_tokens(user, None, PAGE):
        for each in page:
            await unit.remove_access_token(user, each.id)
            ended.append(each.id)
    return ended
