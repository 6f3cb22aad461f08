"""Who acts for a person, in which workspaces, and what a person may do in them."""

import pytest

from domain.access import (
    Act,
    Standing,
    acts_for_a_person,
    allows,
    asks_as,
    founder,
    sees_workspace,
)
from domain.identity import ExecutionId, SessionId, TaskId, TokenId, UserId, WorkspaceId
from domain.principal import Execution, Internal, Principal, Purpose, Token, User
from domain.task import Task
from tests.domain.test_task_family import TOP
from tests.requirements import requirement

ANNA = UserId("anna")
HERE, THERE = WorkspaceId("w"), WorkspaceId("there")
LIMITED = Token(TokenId("tok"), ANNA, frozenset({HERE}))
FREE = Token(TokenId("tok"), ANNA, None)
AGENT = Execution(ExecutionId("exec"), TaskId("top"), SessionId("ses"))
RECOVERY = Internal(Purpose.RECOVERY)


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        (User(UserId("owner")), True),
        (Token(TokenId("home"), UserId("owner"), None), True),
        *((Internal(purpose), True) for purpose in Purpose),
        (Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses")), False),
    ],
)
def test_an_agent_alone_does_not(principal: Principal, expected: bool) -> None:
    assert acts_for_a_person(principal) is expected


@requirement("token:limits")
@pytest.mark.parametrize(
    ("principal", "here", "there", "founds"),
    [
        (User(ANNA), ANNA, ANNA, ANNA),
        (FREE, ANNA, ANNA, ANNA),
        (LIMITED, ANNA, None, None),
        (AGENT, None, None, None),
        (RECOVERY, None, None, None),
    ],
)
def test_a_token_counts_where_its_limits_say(
    principal: Principal, here: UserId | None, there: UserId | None, founds: UserId | None
) -> None:
    assert asks_as(principal, HERE) == here
    assert asks_as(principal, THERE) == there
    assert founder(principal) == founds


@requirement("workspace:foreign")
@pytest.mark.parametrize("principal", [User(ANNA), FREE, LIMITED, RECOVERY])
@pytest.mark.parametrize("act", Act)
@pytest.mark.parametrize("own", [None, TOP])
def test_a_person_may_what_their_standing_says(
    principal: Principal, act: Act, own: Task | None
) -> None:
    for standing in Standing:
        assert allows(principal, own, standing, TOP, act)
        assert sees_workspace(principal, own, standing, HERE)
    assert not allows(principal, own, None, TOP, act)
    assert not sees_workspace(principal, own, None, HERE)


@pytest.mark.parametrize("standing", [None, *Standing])
def test_an_agent_has_no_standing_of_a_person(standing: Standing | None) -> None:
    assert not allows(AGENT, None, standing, TOP, Act.SEE)
    assert sees_workspace(AGENT, TOP, standing, HERE)
    assert not sees_workspace(AGENT, TOP, standing, THERE)
    assert not sees_workspace(AGENT, None, standing, HERE)
