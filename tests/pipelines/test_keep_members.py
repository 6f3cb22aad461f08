"""Who takes members in and lets them go."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.access import NotFound, OwnerOnly
from domain.identity import ExecutionId, SessionId, TaskId, UserId, WorkspaceId
from domain.membership import MAX_MEMBERS, KnownMember, OwnerStays, TooManyMembers
from domain.outcome import Failure, Success, failed
from domain.principal import HOME_OWNER, Execution, Principal, User
from domain.task_owner import NoOwner
from pipelines.owner_scope import OwnerScope
from tests.account_examples import account_of
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("workspace:members")]

ANNA, BEN = UserId("anna"), UserId("ben")
AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        async with made.store.write() as unit:
            for each in (HOME_OWNER, ANNA, BEN):
                await unit.put_account(account_of(each))
        yield made


async def members(plane: Plane, workspace: WorkspaceId) -> list[UserId]:
    page = await plane.api.members.page(OWNER, workspace, None, MAX_MEMBERS)
    return [each.account.id for each in page.unwrap()]


async def taken_in(plane: Plane, workspace: WorkspaceId, user: UserId) -> KnownMember:
    return (await plane.api.members.add(OWNER, workspace, f" {user}@Example.org")).unwrap()


async def test_a_member_who_is_taken_in_again_stays_one_since_then(plane: Plane) -> None:
    workspace = await plane.workspace()

    first = await taken_in(plane, workspace, ANNA)
    plane.clock.advance(timedelta(seconds=1))
    again = await taken_in(plane, workspace, ANNA)

    assert first == again
    assert await members(plane, workspace) == [ANNA]


async def test_the_owner_is_no_member_and_does_not_leave(plane: Plane) -> None:
    workspace = await plane.workspace()
    owner = User(HOME_OWNER)

    added = await plane.api.members.add(OWNER, workspace, "owner@example.org")

    assert added == Failure(OwnerStays())
    assert await plane.api.members.remove(owner, workspace, HOME_OWNER) == Failure(OwnerStays())


async def test_a_workspace_has_a_bound_of_members(plane: Plane) -> None:
    workspace = await plane.workspace()
    many = [UserId(f"user{number:03}") for number in range(MAX_MEMBERS)]
    async with plane.store.write() as unit:
        for each in many:
            await unit.put_account(account_of(each))
    for each in many:
        await taken_in(plane, workspace, each)

    full = await plane.api.members.add(OWNER, workspace, "anna@example.org")

    assert full == Failure(TooManyMembers())
    assert len(await members(plane, workspace)) == MAX_MEMBERS


async def test_a_member_leaves_and_lets_no_other_go(plane: Plane) -> None:
    workspace = await plane.workspace()
    for each in (ANNA, BEN):
        await taken_in(plane, workspace, each)

    refused = await plane.api.members.remove(User(ANNA), workspace, BEN)
    left = await plane.api.members.remove(User(ANNA), workspace, ANNA)
    again = await plane.api.members.remove(User(ANNA), workspace, ANNA)

    assert refused == Failure(OwnerOnly())
    assert left.unwrap() is None
    assert again == Failure(NotFound("member"))
    assert await members(plane, workspace) == [BEN]


@requirement("workspace:owner-only")
async def test_a_workspace_is_handed_over_to_a_member_alone(plane: Plane) -> None:
    task = await plane.ready_task()
    workspace = task.workspace
    await taken_in(plane, workspace, ANNA)

    nobody = await plane.api.members.hand_over(OWNER, workspace, BEN)
    handed = (await plane.api.members.hand_over(OWNER, workspace, ANNA)).unwrap()
    back = await plane.api.members.hand_over(OWNER, workspace, HOME_OWNER)

    assert nobody == Failure(NotFound("member"))
    assert handed.owner == ANNA
    assert back == Failure(OwnerOnly())
    assert await members(plane, workspace) == [HOME_OWNER]
    assert (await OwnerScope(plane.store).owner(task.id)).unwrap() == User(ANNA)


@requirement("workspace:owner-only")
async def test_who_may_not_act_any_more_is_made_no_owner(plane: Plane) -> None:
    workspace = await plane.workspace()
    await taken_in(plane, workspace, ANNA)
    async with plane.store.write() as unit:
        await unit.put_account(replace(account_of(ANNA), active=False))

    refused = await plane.api.members.hand_over(OWNER, workspace, ANNA)

    assert refused == Failure(NotFound("member"))
    assert await members(plane, workspace) == [ANNA]


@requirement("workspace:foreign")
@pytest.mark.parametrize("principal", [User(BEN), AGENT])
async def test_who_does_not_work_there_has_no_say(plane: Plane, principal: Principal) -> None:
    workspace, keep = await plane.workspace(), plane.api.members
    absent = Failure(NotFound("workspace"))

    assert await keep.page(principal, workspace, None, 9) == absent
    assert await keep.add(principal, workspace, "anna@example.org") == absent
    assert await keep.remove(principal, workspace, ANNA) == absent
    assert await keep.hand_over(principal, workspace, ANNA) == absent
    assert await keep.add(OWNER, WorkspaceId("none"), "anna@example.org") == absent


@pytest.mark.parametrize("active", [True, False])
async def test_only_who_may_act_is_taken_in(plane: Plane, active: bool) -> None:
    workspace, keep = await plane.workspace(), plane.api.members
    async with plane.store.write() as unit:
        await unit.put_account(replace(account_of(ANNA), active=active))

    known = await keep.add(OWNER, workspace, "anna@example.org")
    unknown = await keep.add(OWNER, workspace, "nobody@example.org")

    assert failed(known) is not active
    assert unknown == Failure(NotFound("user"))
    assert active or known == unknown


async def test_what_a_member_follows_ends_when_it_is_let_go(plane: Plane) -> None:
    workspace = await plane.workspace()
    await taken_in(plane, workspace, ANNA)

    with plane.api.revocations.heard(ANNA) as over, plane.api.revocations.heard(BEN) as other:
        (await plane.api.members.remove(OWNER, workspace, ANNA)).unwrap()
        assert (over.is_set(), other.is_set()) == (True, False)
    with plane.api.revocations.heard(ANNA) as later:
        assert not later.is_set()


@pytest.mark.parametrize("active", [True, False])
async def test_an_agent_acts_for_an_owner_who_may_act(plane: Plane, active: bool) -> None:
    task = await plane.ready_task()
    async with plane.store.write() as unit:
        await unit.put_account(replace(account_of(HOME_OWNER), active=active))

    owner = await OwnerScope(plane.store).owner(task.id)

    assert owner == (Success(User(HOME_OWNER)) if active else Failure(NoOwner()))
