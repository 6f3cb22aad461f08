"""Who takes members in and lets them go."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from domain.access import NotFound, OwnerOnly
from domain.identity import ExecutionId, SessionId, TaskId, UserId, WorkspaceId
from domain.membership import MAX_MEMBERS, OwnerStays, TooManyMembers
from domain.outcome import Failure
from domain.principal import HOME_OWNER, Execution, Principal, User
from pipelines.owner_scope import OwnerScope
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("workspace:members")]

ANNA, BEN = UserId("anna"), UserId("ben")
AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def members(plane: Plane, workspace: WorkspaceId) -> list[UserId]:
    page = await plane.api.members.page(OWNER, workspace, None, MAX_MEMBERS)
    return [each.user for each in page.unwrap()]


async def test_a_member_who_is_taken_in_again_stays_one_since_then(plane: Plane) -> None:
    workspace = await plane.workspace()

    first = await plane.api.members.add(OWNER, workspace, ANNA)
    plane.clock.advance(timedelta(seconds=1))
    again = await plane.api.members.add(OWNER, workspace, ANNA)

    assert first == again
    assert await members(plane, workspace) == [ANNA]


async def test_the_owner_is_no_member_and_does_not_leave(plane: Plane) -> None:
    workspace = await plane.workspace()
    owner = User(HOME_OWNER)

    assert await plane.api.members.add(OWNER, workspace, HOME_OWNER) == Failure(OwnerStays())
    assert await plane.api.members.remove(owner, workspace, HOME_OWNER) == Failure(OwnerStays())


async def test_a_workspace_has_a_bound_of_members(plane: Plane) -> None:
    workspace = await plane.workspace()
    for number in range(MAX_MEMBERS):
        (await plane.api.members.add(OWNER, workspace, UserId(f"user{number:03}"))).unwrap()

    assert await plane.api.members.add(OWNER, workspace, ANNA) == Failure(TooManyMembers())
    assert len(await members(plane, workspace)) == MAX_MEMBERS


async def test_a_member_leaves_and_lets_no_other_go(plane: Plane) -> None:
    workspace = await plane.workspace()
    for each in (ANNA, BEN):
        (await plane.api.members.add(OWNER, workspace, each)).unwrap()

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
    (await plane.api.members.add(OWNER, workspace, ANNA)).unwrap()

    nobody = await plane.api.members.hand_over(OWNER, workspace, BEN)
    handed = (await plane.api.members.hand_over(OWNER, workspace, ANNA)).unwrap()
    back = await plane.api.members.hand_over(OWNER, workspace, HOME_OWNER)

    assert nobody == Failure(NotFound("member"))
    assert handed.owner == ANNA
    assert back == Failure(OwnerOnly())
    assert await members(plane, workspace) == [HOME_OWNER]
    assert (await OwnerScope(plane.store).owner(task.id)).unwrap() == User(ANNA)


@requirement("workspace:foreign")
@pytest.mark.parametrize("principal", [User(BEN), AGENT])
async def test_who_does_not_work_there_has_no_say(plane: Plane, principal: Principal) -> None:
    workspace, keep = await plane.workspace(), plane.api.members
    absent = Failure(NotFound("workspace"))

    assert await keep.page(principal, workspace, None, 9) == absent
    assert await keep.add(principal, workspace, ANNA) == absent
    assert await keep.remove(principal, workspace, ANNA) == absent
    assert await keep.hand_over(principal, workspace, ANNA) == absent
    assert await keep.add(OWNER, WorkspaceId("none"), ANNA) == absent
