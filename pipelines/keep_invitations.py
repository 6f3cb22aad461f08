"""Invitations: made and revoked by who administers the installation, taken by who has the text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from domain.access import NotFound
from domain.account import (
    Account,
    AdminOnly,
    EmailTaken,
    InvalidEmail,
    InvalidPassword,
    Role,
    check_email,
)
from domain.attempts import Attempts
from domain.audit import Deed
from domain.identity import InvitationId, UserId
from domain.invitation import InvalidDays, Invitation, check_days, is_open, suits
from domain.outcome import Failure, Result, Success, failed
from domain.principal import HOME_OWNER, Principal, Token, User
from domain.secret import Secret
from domain.shown_once import RANDOM_BYTES, Kind, digest, spell
from domain.workspace import InvalidName
from pipelines.audited import audited
from pipelines.authority import administers
from pipelines.claim_home import NewAccount, check_new
from pipelines.open_sign_in import OpenSignIn, SignedIn
from pipelines.sign_in import TooManyAttempts
from ports.clock import Clock
from ports.ids import Ids
from ports.passwords import Passwords
from ports.redactor import Redactor
from ports.store import Reader, Store

__all__ = ("AcceptInvitation", "AcceptProblem", "InviteProblem", "Invited", "KeepInvitations")

InviteProblem: TypeAlias = AdminOnly | NotFound | InvalidEmail | InvalidDays
AcceptProblem: TypeAlias = (
    NotFound | TooManyAttempts | EmailTaken | InvalidEmail | InvalidPassword | InvalidName
)


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation with its text, which is told this once."""

    invitation: Invitation
    shown: Secret = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeepInvitations:
    store: Store
    clock: Clock
    ids: Ids
    redactor: Redactor

    async def create(
        self, principal: Principal, email: str | None, role: Role, days: int
    ) -> Result[Invited, InviteProblem]:
        """A new one, for whoever has its text, or for one address alone."""
        life = check_days(days)
        if failed(life):
            return life
        addressed = check_email(email) if email is not None else None
        if addressed is not None and failed(addressed):
            return addressed
        shown = spell(Kind.INVITATION, self.ids.random(RANDOM_BYTES))
        self.redactor.register(shown)
        now = self.clock.now()
        invitation = Invitation(
            InvitationId(self.ids.new("inv")),
            digest(Kind.INVITATION, shown.reveal()) or "",
            None if addressed is None else addressed.unwrap(),
            role,
            _inviter(principal),
            now,
            now + life.unwrap(),
        )
        async with self.store.write() as unit:
            if not await administers(unit, principal):
                return Failure(AdminOnly())
            await unit.add_invitation(invitation)
            key = invitation.id
            await audited(unit, now, Deed.INVITED, principal, key, detail=role.value)
        return Success(Invited(invitation, shown))

    async def page(
        self, principal: Principal, after: str | None, limit: int
    ) -> Result[Sequence[Invitation], AdminOnly]:
        """By id, strictly after `after`, those that have expired too."""
        async with self.store.read() as state:
            if not await administers(state, principal):
                return Failure(AdminOnly())
            return Success(await state.invitations(after, limit))

    async def revoke(
        self, principal: Principal, invitation: InvitationId
    ) -> Result[None, AdminOnly | NotFound]:
        async with self.store.write() as unit:
            if not await administers(unit, principal):
                return Failure(AdminOnly())
            removed = await unit.remove_invitation(invitation)
            if removed:
                at = self.clock.now()
                await audited(unit, at, Deed.INVITATION_REVOKED, principal, invitation)
        return Success(None) if removed else Failure(NotFound("invitation"))


def _inviter(principal: Principal) -> UserId:
    match principal:
        case User(id=user) | Token(user=user):
            return user
        case _:
            return HOME_OWNER


@dataclass(frozen=True, slots=True)
class AcceptInvitation:
    """One that expired, was taken or revoked, or never was: all look the same."""

    store: Store
    clock: Clock
    ids: Ids
    passwords: Passwords
    redactor: Redactor
    attempts: Attempts
    open_sign_in: OpenSignIn

    async def preview(self, shown: Secret, address: str) -> Result[Invitation, AcceptProblem]:
        """What it is for, without taking it."""
        wait = self.attempts.begin(_named(shown), address, self.clock.monotonic())
        if wait:
            return Failure(TooManyAttempts(wait))
        async with self.store.read() as state:
            found = await self._open(state, shown)
        if found is None:
            return Failure(NotFound("invitation"))
        self.attempts.succeeded(_named(shown), address)
        return Success(found)

    async def __call__(
        self, shown: Secret, wanted: NewAccount, address: str, agent: str
    ) -> Result[SignedIn, AcceptProblem]:
        """Make an account with it, and sign that in. Of two who take one, one has it."""
        seen = await self.preview(shown, address)
        if failed(seen):
            return seen
        checked = check_new(wanted)
        if failed(checked):
            return checked
        sound = checked.unwrap()
        if not suits(seen.unwrap(), sound.email):
            return Failure(NotFound("invitation"))
        self.redactor.register(sound.password)
        kept = await self.passwords.keep(sound.password)
        async with self.store.write() as unit:
            found = await self._open(unit, shown)
            if found is None:
                return Failure(NotFound("invitation"))
            if await unit.account_with(sound.email) is not None:
                return Failure(EmailTaken())
            await unit.remove_invitation(found.id)
            account = Account(
                UserId(self.ids.new("usr")),
                sound.email,
                sound.name,
                found.role,
                True,
                self.clock.now(),
            )
            await unit.put_account(account)
            await unit.put_password(account.id, kept)
            signed_in = await self.open_sign_in(unit, account, agent)
            at = account.created_at
            await audited(unit, at, Deed.INVITATION_ACCEPTED, account.id, found.id)
        return Success(signed_in)

    async def _open(self, state: Reader, shown: Secret) -> Invitation | None:
        key = digest(Kind.INVITATION, shown.reveal())
        found = await state.invitation(key) if key is not None else None
        return found if found is not None and is_open(found, self.clock.now()) else None


def _named(shown: Secret) -> str:
    """What an attempt with this text counts as; the text is kept nowhere."""
    return digest(Kind.INVITATION, shown.reveal()) or "invitation"
