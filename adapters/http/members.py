"""Routes of who works in a workspace."""

from datetime import datetime
from typing import Annotated

from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation
from msgspec import Struct

from adapters.http.api import Api
from adapters.http.problems import accepted
from adapters.http.shapes import WorkspaceBody
from domain.identity import UserId, WorkspaceId
from domain.membership import MAX_MEMBERS, KnownMember
from domain.principal import Principal

__all__ = ("Members",)


class MemberBody(Struct, frozen=True):
    user_id: str
    email: str
    name: str
    since: datetime

    @classmethod
    def of(cls, known: KnownMember) -> "MemberBody":
        account = known.account
        return cls(account.id, account.email, account.name, known.member.since)


class NewMember(Struct, frozen=True, forbid_unknown_fields=True):
    """`email`: what the user signs in with."""

    email: str


class NewOwner(Struct, frozen=True, forbid_unknown_fields=True):
    """A member of the workspace."""

    user_id: str


class Members(Controller):
    path = "/api/v1/workspaces/{workspace_id:str}"
    tags = ("workspaces",)

    @get("/members")
    async def list_all(
        self,
        workspace_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=MAX_MEMBERS)] = MAX_MEMBERS,
    ) -> list[MemberBody]:
        """Those whom its owner took in, by id."""
        page = await api.members.page(principal, WorkspaceId(workspace_id), after, limit)
        return [MemberBody.of(each) for each in accepted(page)]

    @post("/members")
    async def add(
        self,
        workspace_id: FromPath[str],
        data: JSONBody[NewMember],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> MemberBody:
        """Take a user in, who sees from then on all that is in the workspace."""
        added = await api.members.add(principal, WorkspaceId(workspace_id), data.email)
        return MemberBody.of(accepted(added))

    @delete("/members/{user_id:str}")
    async def remove(
        self,
        workspace_id: FromPath[str],
        user_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        """Let a member go; a member may leave, too."""
        accepted(await api.members.remove(principal, WorkspaceId(workspace_id), UserId(user_id)))

    @put("/owner")
    async def hand_over(
        self,
        workspace_id: FromPath[str],
        data: JSONBody[NewOwner],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> WorkspaceBody:
        """Make a member its owner; who owned it is a member from then on."""
        handed = await api.members.hand_over(
            principal, WorkspaceId(workspace_id), UserId(data.user_id)
        )
        return WorkspaceBody.of(accepted(handed))
