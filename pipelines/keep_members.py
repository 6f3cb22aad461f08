"""Who works in a workspace: list its members, take one in, let one go, hand it over."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain.access import NotFound, Standing
from domain.identity import UserId, WorkspaceId
from domain.membership import MAX_MEMBERS, Member, MembersProblem, OwnerStays, TooManyMembers
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal, User
from domain.workspace import Workspace
from pipelines.authority import governed, holds
from ports.clock import Clock
from ports.store import Store

__all__ = ("KeepMembers",)


@dataclass(frozen=True, slots=True)
class KeepMembers:
    """Its members see each other; its owner alone changes who they are."""

    store: Store
    clock: Clock

    async def page(
        self, principal: Principal, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Result[Sequence[Member], NotFound]:
        """By user, strictly after `after`, without the owner."""
        async with self.store.read() as state:
            if not await holds(state, principal, workspace):
                return Failure(NotFound("workspace"))
            return Success(await state.members(workspace, after, limit))

    async def add(
        self, principal: Principal, workspace: WorkspaceId, user: UserId
    ) -> Result[Member, MembersProblem]:
        """Take a user in; one who is a member already stays one since then."""
        async with self.store.write() as unit:
            owned = await governed(unit, principal, workspace)
            if failed(owned):
                return Failure(owned.failure())
            if user == owned.unwrap().owner:
                return Failure(OwnerStays())
            members = {each.user: each for each in await unit.members(workspace, None, MAX_MEMBERS)}
            if user in members:
                return Success(members[user])
            if len(members) == MAX_MEMBERS:
                return Failure(TooManyMembers())
            member = Member(user, self.clock.now())
            await unit.put_member(workspace, member)
        return Success(member)

    async def remove(
        self, principal: Principal, workspace: WorkspaceId, user: UserId
    ) -> Result[None, MembersProblem]:
        """Let a member go: for the owner, and for a member who leaves."""
        async with self.store.write() as unit:
            if not (isinstance(principal, User) and principal.id == user):
                owned = await governed(unit, principal, workspace)
                if failed(owned):
                    return Failure(owned.failure())
            stands = await unit.standing(workspace, user)
            if stands is Standing.OWNER:
                return Failure(OwnerStays())
            if not await unit.remove_member(workspace, user):
                return Failure(NotFound("member"))
        return Success(None)

    async def hand_over(
        self, principal: Principal, workspace: WorkspaceId, user: UserId
    ) -> Result[Workspace, MembersProblem]:
        """Make a member its owner; who owned it is a member from then on."""
        async with self.store.write() as unit:
            owned = await governed(unit, principal, workspace)
            if failed(owned):
                return Failure(owned.failure())
            found = owned.unwrap()
            if user == found.owner:
                return Success(found)
            if not await unit.remove_member(workspace, user):
                return Failure(NotFound("member"))
            handed = replace(found, owner=user)
            await unit.put_workspace(handed)
            await unit.put_member(workspace, Member(found.owner, self.clock.now()))
        return Success(handed)
