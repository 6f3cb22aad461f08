"""What the store has of accounts: a part of a unit of work, as the rest of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from domain.account import Account
from domain.identity import InvitationId, SignInId, UserId
from domain.invitation import Invitation
from domain.sign_in import SignIn

__all__ = ("AccountReader", "AccountWriter")


class AccountReader(Protocol):
    async def account(self, user: UserId) -> Account | None: ...
    async def account_with(self, email: str) -> Account | None:
        """By its address, in the one spelling."""
        ...

    async def accounts(self, after: str | None, limit: int) -> Sequence[Account]:
        """By id, strictly after `after`."""
        ...

    async def active_admins(self) -> int: ...
    async def kept_password(self, user: UserId) -> str | None:
        """What is kept of the password; only `Passwords` can use it."""
        ...

    async def sign_in(self, digest: str) -> SignIn | None:
        """The one whose cookie has this digest."""
        ...

    async def sign_ins(self, user: UserId) -> Sequence[SignIn]:
        """By id."""
        ...

    async def invitation(self, digest: str) -> Invitation | None:
        """The one whose text has this digest."""
        ...

    async def invitations(self, after: str | None, limit: int) -> Sequence[Invitation]:
        """By id, strictly after `after`."""
        ...


class AccountWriter(Protocol):
    async def put_account(self, account: Account) -> None:
        """Insert or replace; the password stays."""
        ...

    async def put_password(self, user: UserId, kept: str) -> None: ...
    async def put_sign_in(self, sign_in: SignIn) -> None:
        """Insert or replace."""
        ...

    async def remove_sign_in(self, user: UserId, sign_in: SignInId) -> bool:
        """False when the user has no such one."""
        ...

    async def prune_sign_ins(self, before: datetime) -> int:
        """Remove those that were last seen before a moment; their count."""
        ...

    async def add_invitation(self, invitation: Invitation) -> None: ...
    async def remove_invitation(self, invitation: InvitationId) -> bool:
        """False when it is not there any more: of two who take it, one has it."""
        ...
