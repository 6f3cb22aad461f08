"""Accounts with their passwords, sign-ins and invitations."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select

from adapters.sqlite.access_tables import (
    AccountPasswordRow,
    AccountRow,
    InvitationRow,
    SignInRow,
)
from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, place, remove
from adapters.sqlite.tables import table
from adapters.sqlite.unit import Unit
from domain.account import Account, Role
from domain.identity import InvitationId, SignInId, UserId
from domain.invitation import Invitation
from domain.sign_in import SignIn

__all__ = ("AccountReads", "AccountWrites")

_ACCOUNTS = table(AccountRow)
_ACCOUNT = _ACCOUNTS.c
_ONE = select(_ACCOUNTS).where(_ACCOUNT.id == given("id"))
_WITH = select(_ACCOUNTS).where(_ACCOUNT.email == given("email"))
_PAGE = (
    select(_ACCOUNTS)
    .where(_ACCOUNT.id > given("after"))
    .order_by(_ACCOUNT.id)
    .limit(given("limit"))
)
_ADMINS = select(func.count()).where(_ACCOUNT.role == Role.ADMIN.value, _ACCOUNT.active == 1)
_PASSWORD = table(AccountPasswordRow).c
_KEPT = select(_PASSWORD.kept).where(_PASSWORD.user_id == given("user"))

_SIGN_INS = table(SignInRow)
_SIGN_IN = _SIGN_INS.c
_SHOWN = select(_SIGN_INS).where(_SIGN_IN.digest == given("digest"))
_OF_USER = select(_SIGN_INS).where(_SIGN_IN.user_id == given("user")).order_by(_SIGN_IN.id)
_END = delete(_SIGN_INS).where(_SIGN_IN.id == given("id"), _SIGN_IN.user_id == given("user"))
_PRUNE = delete(_SIGN_INS).where(_SIGN_IN.seen_at < given("before"))

_INVITATIONS = table(InvitationRow)
_INVITATION = _INVITATIONS.c
_INVITED = select(_INVITATIONS).where(_INVITATION.digest == given("digest"))
_INVITED_PAGE = (
    select(_INVITATIONS)
    .where(_INVITATION.id > given("after"))
    .order_by(_INVITATION.id)
    .limit(given("limit"))
)
_INVITE = place(InvitationRow)
_TAKE = remove(InvitationRow)


class AccountReads(Unit):
    __slots__ = ()

    async def account(self, user: UserId) -> Account | None:
        row = await self._on.one(_ONE, {"id": user})
        return None if row is None else _account(row)

    async def account_with(self, email: str) -> Account | None:
        row = await self._on.one(_WITH, {"email": email})
        return None if row is None else _account(row)

    async def accounts(self, after: str | None, limit: int) -> Sequence[Account]:
        rows = await self._on.rows(_PAGE, {"after": after or "", "limit": limit})
        return [_account(row) for row in rows]

    async def active_admins(self) -> int:
        row = await self._on.one(_ADMINS, {})
        return 0 if row is None else int(row[0])

    async def kept_password(self, user: UserId) -> str | None:
        row = await self._on.one(_KEPT, {"user": user})
        return None if row is None else str(row[0])

    async def sign_in(self, digest: str) -> SignIn | None:
        row = await self._on.one(_SHOWN, {"digest": digest})
        return None if row is None else _sign_in(row)

    async def sign_ins(self, user: UserId) -> Sequence[SignIn]:
        return [_sign_in(row) for row in await self._on.rows(_OF_USER, {"user": user})]

    async def invitation(self, digest: str) -> Invitation | None:
        row = await self._on.one(_INVITED, {"digest": digest})
        return None if row is None else _invitation(row)

    async def invitations(self, after: str | None, limit: int) -> Sequence[Invitation]:
        rows = await self._on.rows(_INVITED_PAGE, {"after": after or "", "limit": limit})
        return [_invitation(row) for row in rows]


class AccountWrites(AccountReads):
    __slots__ = ()

    async def put_account(self, account: Account) -> None:
        values = {
            "id": account.id,
            "email": account.email,
            "name": account.name,
            "role": account.role.value,
            "active": int(account.active),
            "created_at": to_text(account.created_at),
        }
        await self._put(AccountRow, values)

    async def put_password(self, user: UserId, kept: str) -> None:
        await self._put(AccountPasswordRow, {"user_id": user, "kept": kept})

    async def put_sign_in(self, sign_in: SignIn) -> None:
        values = {
            "id": sign_in.id,
            "user_id": sign_in.user,
            "digest": sign_in.digest,
            "agent": sign_in.agent,
            "created_at": to_text(sign_in.created_at),
            "seen_at": to_text(sign_in.seen_at),
        }
        await self._put(SignInRow, values)

    async def remove_sign_in(self, user: UserId, sign_in: SignInId) -> bool:
        return await self._run(_END, {"id": sign_in, "user": user}) == 1

    async def prune_sign_ins(self, before: datetime) -> int:
        return await self._run(_PRUNE, {"before": to_text(before)})

    async def add_invitation(self, invitation: Invitation) -> None:
        values = {
            "id": invitation.id,
            "digest": invitation.digest,
            "email": invitation.email,
            "role": invitation.role.value,
            "invited_by": invitation.by,
            "created_at": to_text(invitation.created_at),
            "expires_at": to_text(invitation.expires_at),
        }
        await self._run(_INVITE, values)

    async def remove_invitation(self, invitation: InvitationId) -> bool:
        return await self._run(_TAKE, {"id": invitation}) == 1


def _account(row: Row) -> Account:
    key, email, name, role, active, created = row
    return Account(UserId(key), email, name, Role(role), bool(active), from_text(created))


def _sign_in(row: Row) -> SignIn:
    key, user, digest, agent, created, seen = row
    return SignIn(SignInId(key), UserId(user), digest, agent, from_text(created), from_text(seen))


def _invitation(row: Row) -> Invitation:
    key, digest, email, role, by, created, expires = row
    return Invitation(
        InvitationId(key),
        digest,
        email,
        Role(role),
        UserId(by),
        from_text(created),
        from_text(expires),
    )
