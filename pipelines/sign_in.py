"""Sign in with a password, see where one is signed in, and end it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.account import Account, InvalidPassword, check_email, check_password
from domain.attempts import Attempts
from domain.audit import Deed
from domain.identity import SignInId, UserId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal, User
from domain.secret import Secret
from domain.sign_in import SIGN_IN_LIFE, SignIn, lasts
from pipelines.audited import audited
from pipelines.open_sign_in import OpenSignIn, SignedIn
from ports.clock import Clock
from ports.passwords import Passwords
from ports.redactor import Redactor
from ports.revocations import Revocations
from ports.store import Store, Writer

__all__ = (
    "AuthenticateUser",
    "KeepSignIns",
    "PasswordProblem",
    "PruneSignIns",
    "SignInProblem",
    "SignInRefused",
    "TooManyAttempts",
    "end_sign_ins",
)


@dataclass(frozen=True, slots=True)
class SignInRefused:
    """No such account, not its password, or one that may not act: the three look the same."""


@dataclass(frozen=True, slots=True)
class TooManyAttempts:
    """The right password would not be taken now either."""

    seconds: int


SignInProblem: TypeAlias = SignInRefused | TooManyAttempts
PasswordProblem: TypeAlias = NotFound | SignInRefused | TooManyAttempts | InvalidPassword


@dataclass(frozen=True, slots=True)
class AuthenticateUser:
    """Whatever is wrong, as much work is done and the same is answered."""

    store: Store
    clock: Clock
    passwords: Passwords
    redactor: Redactor
    attempts: Attempts
    open_sign_in: OpenSignIn

    async def __call__(
        self, email: str, password: Secret, address: str, agent: str
    ) -> Result[SignedIn, SignInProblem]:
        """Sign a browser in: `address` is the client's, `agent` what it calls itself."""
        checked = check_email(email)
        name = email.strip().lower()[:256] if failed(checked) else checked.unwrap()
        wait = self.attempts.begin(name, address, self.clock.monotonic())
        if wait:
            return Failure(TooManyAttempts(wait))
        self.redactor.register(password)
        async with self.store.read() as state:
            account = await state.account_with(name)
            kept = await state.kept_password(account.id) if account is not None else None
        same = await self.passwords.are_same(password, kept)
        async with self.store.write() as unit:
            still = await unit.account(account.id) if account is not None else None
            unchanged = still is not None and await unit.kept_password(still.id) == kept
            if still is None or not still.active or not same or not unchanged:
                named = account.id if account is not None else ""
                await audited(unit, self.clock.now(), Deed.SIGN_IN_REFUSED, None, named)
                return Failure(SignInRefused())
            signed_in = await self.open_sign_in(unit, still, agent)
            key = signed_in.sign_in.id
            await audited(unit, self.clock.now(), Deed.SIGNED_IN, still.id, key)
        self.attempts.succeeded(name, address)
        return Success(signed_in)


@dataclass(frozen=True, slots=True)
class KeepSignIns:
    """What a user who signed in does with that; to a token there is none of it."""

    store: Store
    clock: Clock
    passwords: Passwords
    redactor: Redactor
    attempts: Attempts
    revocations: Revocations

    async def me(self, principal: Principal) -> Result[Account, NotFound]:
        if not isinstance(principal, User):
            return Failure(NotFound("account"))
        async with self.store.read() as state:
            found = await state.account(principal.id)
        return Failure(NotFound("account")) if found is None else Success(found)

    async def all(self, principal: Principal) -> Result[Sequence[SignIn], NotFound]:
        """Where the user is signed in."""
        if not isinstance(principal, User):
            return Failure(NotFound("session"))
        async with self.store.read() as state:
            found = await state.sign_ins(principal.id)
        return Success([each for each in found if lasts(each, self.clock.now())])

    async def end(self, principal: Principal, sign_in: SignInId) -> Result[None, NotFound]:
        """Its cookie opens nothing from then on, and what it holds open ends."""
        if not isinstance(principal, User):
            return Failure(NotFound("session"))
        async with self.store.write() as unit:
            removed = await unit.remove_sign_in(principal.id, sign_in)
            if removed:
                await audited(unit, self.clock.now(), Deed.SIGN_IN_ENDED, principal, sign_in)
        if not removed:
            return Failure(NotFound("session"))
        self.revocations.tell(sign_in)
        return Success(None)

    async def change_password(
        self, principal: Principal, current: Secret, new: Secret, by: SignInId | None, address: str
    ) -> Result[None, PasswordProblem]:
        """Put another in its place; wherever else the user is signed in, that ends.

        Access tokens stay: who lost one revokes it.
        """
        if not isinstance(principal, User):
            return Failure(NotFound("account"))
        checked = check_password(new)
        if failed(checked):
            return checked
        user = principal.id
        wait = self.attempts.begin(user, address, self.clock.monotonic())
        if wait:
            return Failure(TooManyAttempts(wait))
        for secret in (current, new):
            self.redactor.register(secret)
        async with self.store.read() as state:
            before = await state.kept_password(user)
        if not await self.passwords.are_same(current, before):
            return Failure(SignInRefused())
        kept = await self.passwords.keep(new)
        async with self.store.write() as unit:
            if await unit.kept_password(user) != before:
                return Failure(SignInRefused())
            await unit.put_password(user, kept)
            ended = await end_sign_ins(unit, user, keep=by)
            await audited(unit, self.clock.now(), Deed.PASSWORD_CHANGED, principal, user)
        for each in ended:
            self.revocations.tell(each)
        self.attempts.succeeded(user, address)
        return Success(None)


@dataclass(frozen=True, slots=True)
class PruneSignIns:
    store: Store
    clock: Clock

    async def __call__(self) -> int:
        """Remove those that do not last any more; the count of what went."""
        async with self.store.write() as unit:
            return await unit.prune_sign_ins(self.clock.now() - SIGN_IN_LIFE)


async def end_sign_ins(
    unit: Writer, user: UserId, *, keep: SignInId | None = None
) -> Sequence[SignInId]:
    """Remove where the user is signed in, but one; those that were removed."""
    over = [each.id for each in await unit.sign_ins(user) if each.id != keep]
    for each in over:
        await unit.remove_sign_in(user, each)
    return over
