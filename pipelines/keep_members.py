"""Who works in a workspace: list its members, take one in, let one go, hand it over."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain.access import NotFound, Standing
from domain.account import check_email
from domain.audit import Deed
from domain.identity import UserId, WorkspaceId
from domain.membership import (
    MAX_MEMBERS,
    KnownMember,
    Member,
    MembersProblem,
    OwnerStays,
    TooManyMembers,
)
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal, User
from domain.workspace import Workspace
from pipelines.audited import audited
from pipelines.authority import governed, holds
from ports.clock import Clock
from ports.revocations import Revocations
from ports.store import Store, Writer

__all__ = ("KeepMembers",)


@dataclass(frozen=True, slots=True)
class KeepMembers:
    """Its members see each other; its owner alone changes who they are."""

    store: Store
    clock: Clock
    revocations: Revocations

    async def page(
        self, principal: Principal, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Result[Sequence[KnownMember], NotFound]:
        """By user, strictly after `after`, without the owner."""
        async with self.store.read() as state:
            if not await holds(state, principal, workspace):
                return Failure(NotFound("workspace"))
            page = await state.members(workspace, after, limit)
            known = [(each, await state.account(each.user)) for each in page]
        return Success([KnownMember(each, who) for each, who in known if who is not None])

    async def add(
        self, principal: Principal, workspace: WorkspaceId, email: str
    ) -> Result[KnownMember, MembersProblem]:
        """Take in who signs in with an address; one who is a member stays one since then."""
        checked = check_email(email)
        if failed(checked):
            return checked
        async with self.store.write() as unit:
            owned = await governed(unit, principal, workspace)
            if failed(owned):
                return Failure(owned.failure())
            account = await unit.account_with(checked.unwrap())
            if account is None or not account.active:
                return Failure(NotFound("user"))
            if account.id == owned.unwrap().owner:
                return Failure(OwnerStays())
            members = {each.user: each for each in await unit.members(workspace, None, MAX_MEMBERS)}
            if account.id in members:
                return Success(KnownMember(members[account.id], account))
            if len(members) == MAX_MEMBERS:
                return Failure(TooManyMembers())
            member = Member(account.id, self.clock.now())
            await unit.put_member(workspace, member)
            await self._told(unit, Deed.MEMBER_ADDED, principal, workspace, account.id)
        return Success(KnownMember(member, account))

    async def remove(
        self, principal: Principal, workspace: WorkspaceId, user: UserId
    ) -> Result[None, MembersProblem]:
        """Let a member go: for the owner, and for a member who leaves.

        What that one follows ends.
        """
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
            await self._told(unit, Deed.MEMBER_REMOVED, principal, workspace, user)
        self.revocations.interrupt(user)
        return Success(None)

    async def hand_over(
        self, principal: Principal, workspace: WorkspaceId, user: UserId
    ) -> Result[Workspace, MembersProblem]:
        """Make a member its owner; who owned it is a member from then on.

        One whose account is not active owns nothing new.
        """
        async with self.store.write() as unit:
            owned = await governed(unit, principal, workspace)
            if failed(owned):
                return Failure(owned.failure())
            found = owned.unwrap()
            if user == found.owner:
                return Success(found)
            account = await unit.account(user)
            inactive = account is not None and not account.active
            if inactive or not await unit.remove_member(workspace, user):
                return Failure(NotFound("member"))
            handed = replace(found, owner=user)
            await unit.put_workspace(handed)
            await unit.put_member(workspace, Member(found.owner, self.clock.now()))
            await self._told(unit, Deed.WORKSPACE_HANDED_OVER, principal, workspace, user)
        return Success(handed)

    async def _told(
        self, unit: Writer, deed: Deed, principal: Principal, workspace: WorkspaceId, user: UserId
    ) -> None:
        await audited(unit, self.clock.now(), deed, principal, user, workspace=workspace)
