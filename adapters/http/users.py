"""Routes of accounts and of invitations, for who administers the installation.

Two of them are for who was invited, and need the text of the invitation alone.
"""

from datetime import datetime
from typing import Annotated

from litestar import Controller, Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation
from msgspec import Struct

from adapters.http.api import Api
from adapters.http.authentication import Asking, Wanted, address_of, agent_of, signed_in
from adapters.http.problems import accepted
from adapters.http.shapes import AccountBody
from domain.account import Role
from domain.identity import InvitationId, UserId
from domain.invitation import INVITATION_DAYS, Invitation
from domain.principal import Principal
from domain.secret import Secret

__all__ = ("Invitations", "Users")

PAGE = 100
"""Rows of a list at most; `after` continues behind the last id."""

Limit = Annotated[int, QueryParameter(ge=1, le=PAGE)]


class AccountChange(Struct, frozen=True, forbid_unknown_fields=True):
    """Absent fields stay as they are."""

    role: Role | None = None
    active: bool | None = None


class Users(Controller):
    path = "/api/v1/users"
    tags = ("accounts",)

    @get()
    async def list_all(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Limit = PAGE,
    ) -> list[AccountBody]:
        page = accepted(await api.accounts.page(principal, after, limit))
        return [AccountBody.of(each) for each in page]

    @put("/{user_id:str}")
    async def change(
        self,
        user_id: FromPath[str],
        data: JSONBody[AccountChange],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> AccountBody:
        """One that is not active any more is signed out everywhere; its access tokens are gone."""
        changed = await api.accounts.change(
            principal, UserId(user_id), data.role, active=data.active
        )
        return AccountBody.of(accepted(changed))


class NewInvitation(Struct, frozen=True, forbid_unknown_fields=True):
    """`email`: for this address alone; `expires_in_days`: from 1 to 90."""

    email: str | None = None
    role: Role = Role.MEMBER
    expires_in_days: int = INVITATION_DAYS


class InvitationBody(Struct, frozen=True):
    id: str
    email: str | None
    role: Role
    invited_by: str
    created_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, invitation: Invitation) -> "InvitationBody":
        return cls(
            invitation.id,
            invitation.email,
            invitation.role,
            invitation.by,
            invitation.created_at,
            invitation.expires_at,
        )


class InvitedBody(Struct, frozen=True):
    """`value` is the text of the invitation; no later answer has it."""

    invitation: InvitationBody
    value: str


class ShownInvitation(Struct, frozen=True, forbid_unknown_fields=True):
    invitation: str


class Preview(Struct, frozen=True):
    email: str | None
    role: Role
    expires_at: datetime


class Acceptance(Wanted, frozen=True):
    invitation: str


class Invitations(Controller):
    path = "/api/v1/auth/invites"
    tags = ("accounts",)

    @post()
    async def create(
        self,
        data: JSONBody[NewInvitation],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> InvitedBody:
        """Whoever has its text makes one account with it; there is no mail."""
        made = await api.invitations.create(principal, data.email, data.role, data.expires_in_days)
        invited = accepted(made)
        return InvitedBody(InvitationBody.of(invited.invitation), invited.shown.reveal())

    @get()
    async def list_all(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Limit = PAGE,
    ) -> list[InvitationBody]:
        """Those that nobody took, also when they have expired."""
        page = accepted(await api.invitations.page(principal, after, limit))
        return [InvitationBody.of(each) for each in page]

    @delete("/{invitation_id:str}")
    async def revoke(
        self,
        invitation_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        accepted(await api.invitations.revoke(principal, InvitationId(invitation_id)))

    @post("/preview", security=[{}], status_code=200)
    async def preview(
        self, data: JSONBody[ShownInvitation], api: NamedDependency[Api], request: Asking
    ) -> Preview:
        """What an invitation is for. Its text is in the body: an address is written to logs."""
        seen = await api.accept_invitation.preview(Secret(data.invitation), address_of(request))
        invitation = accepted(seen)
        return Preview(invitation.email, invitation.role, invitation.expires_at)

    @post("/accept", security=[{}])
    async def accept(
        self, data: JSONBody[Acceptance], api: NamedDependency[Api], request: Asking
    ) -> Response[AccountBody]:
        """Make an account with an invitation, which is then used, and sign it in."""
        done = await api.accept_invitation(
            Secret(data.invitation), data.account(), address_of(request), agent_of(request)
        )
        return signed_in(request, accepted(done), 201)
