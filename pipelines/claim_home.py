"""The first account: made by who has the code that the server shows on its console.

It is the account of the home's owner, to whom belongs what there was before accounts. The code is
good once, for the process that showed it, and for as long as nobody has claimed the home.
"""

import hmac
from dataclasses import dataclass
from typing import TypeAlias

from domain.account import (
    Account,
    InvalidEmail,
    InvalidPassword,
    Role,
    check_email,
    check_password,
)
from domain.attempts import Attempts
from domain.audit import Deed
from domain.outcome import Failure, Result, Success, failed
from domain.principal import HOME_OWNER
from domain.secret import Secret
from domain.shown_once import RANDOM_BYTES, Kind, digest, spell
from domain.workspace import InvalidName, check_name
from pipelines.audited import audited
from pipelines.open_sign_in import OpenSignIn, SignedIn
from pipelines.sign_in import TooManyAttempts
from ports.clock import Clock
from ports.ids import Ids
from ports.passwords import Passwords
from ports.redactor import Redactor
from ports.store import Store

__all__ = ("ClaimHome", "ClaimProblem", "ClaimRefused", "NewAccount")

CLAIM = "claim"
"""What attempts to claim count as; no address of an account is so short."""


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What somebody wants to sign in with, and to be called."""

    email: str
    password: Secret
    name: str


@dataclass(frozen=True, slots=True)
class ClaimRefused:
    """The code is wrong, was used, or the home is claimed: the three look the same."""


ClaimProblem: TypeAlias = (
    ClaimRefused | TooManyAttempts | InvalidEmail | InvalidPassword | InvalidName
)


class ClaimHome:
    """One for the process that serves a home."""

    __slots__ = (
        "_attempts",
        "_clock",
        "_ids",
        "_offered",
        "_open",
        "_passwords",
        "_redactor",
        "_store",
    )

    def __init__(
        self,
        store: Store,
        clock: Clock,
        ids: Ids,
        passwords: Passwords,
        redactor: Redactor,
        attempts: Attempts,
        open_sign_in: OpenSignIn,
    ) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._passwords = passwords
        self._redactor = redactor
        self._attempts = attempts
        self._open = open_sign_in
        self._offered: str | None = None

    async def offer(self) -> Secret | None:
        """A code to claim the home with, the only one that is good; None when it is claimed."""
        async with self._store.read() as state:
            if await state.kept_password(HOME_OWNER) is not None:
                return None
        code = spell(Kind.CLAIM, self._ids.random(RANDOM_BYTES))
        self._redactor.register(code)
        self._offered = digest(Kind.CLAIM, code.reveal())
        return code

    async def __call__(
        self, code: Secret, wanted: NewAccount, address: str, agent: str
    ) -> Result[SignedIn, ClaimProblem]:
        """Make the owner's account, who administers the installation, and sign it in."""
        wait = self._attempts.begin(CLAIM, address, self._clock.monotonic())
        if wait:
            return Failure(TooManyAttempts(wait))
        if not self._is_offered(code):
            return Failure(ClaimRefused())
        checked = check_new(wanted)
        if failed(checked):
            return checked
        sound = checked.unwrap()
        self._redactor.register(sound.password)
        kept = await self._passwords.keep(sound.password)
        owner = Account(HOME_OWNER, sound.email, sound.name, Role.ADMIN, True, self._clock.now())
        async with self._store.write() as unit:
            if not self._is_offered(code) or await unit.kept_password(HOME_OWNER) is not None:
                return Failure(ClaimRefused())
            await unit.put_account(owner)
            await unit.put_password(owner.id, kept)
            signed_in = await self._open(unit, owner, agent)
            await audited(unit, owner.created_at, Deed.HOME_CLAIMED, owner.id, owner.id)
        self._offered = None
        self._attempts.succeeded(CLAIM, address)
        return Success(signed_in)

    def _is_offered(self, code: Secret) -> bool:
        shown = digest(Kind.CLAIM, code.reveal())
        if shown is None or self._offered is None:
            return False
        return hmac.compare_digest(shown, self._offered)


def check_new(
    wanted: NewAccount,
) -> Result[NewAccount, InvalidEmail | InvalidPassword | InvalidName]:
    """What was wanted, as an account may have it."""
    email = check_email(wanted.email)
    if failed(email):
        return email
    password = check_password(wanted.password)
    if failed(password):
        return password
    name = check_name(wanted.name)
    if failed(name):
        return name
    return Success(NewAccount(email.unwrap(), wanted.password, name.unwrap()))
