"""Open a sign-in for an account that has shown who it is, in the unit of work of that."""

from dataclasses import dataclass, field

from domain.account import Account
from domain.identity import SignInId
from domain.secret import Secret
from domain.shown_once import RANDOM_BYTES, Kind, digest, spell
from domain.sign_in import SignIn, started
from ports.clock import Clock
from ports.ids import Ids
from ports.redactor import Redactor
from ports.store import Writer

__all__ = ("OpenSignIn", "SignedIn")


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An account, and the cookie of the browser that it is signed in with now."""

    account: Account
    sign_in: SignIn
    cookie: Secret = field(repr=False)


@dataclass(frozen=True, slots=True)
class OpenSignIn:
    """Its cookie is hidden from every sink before anybody has it."""

    clock: Clock
    ids: Ids
    redactor: Redactor

    async def __call__(self, unit: Writer, account: Account, agent: str) -> SignedIn:
        cookie = spell(Kind.SIGN_IN, self.ids.random(RANDOM_BYTES))
        self.redactor.register(cookie)
        kept = digest(Kind.SIGN_IN, cookie.reveal()) or ""
        key = SignInId(self.ids.new("sgn"))
        opened = started(key, account.id, kept, agent, self.clock.now())
        await unit.put_sign_in(opened)
        return SignedIn(account, opened, cookie)
