"""Who acts for the person whose installation it is."""

import pytest

from domain.access import acts_for_a_person
from domain.identity import ExecutionId, SessionId, TaskId, TokenId, UserId
from domain.principal import Execution, Internal, Principal, Purpose, Token, User


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        (User(UserId("owner")), True),
        (Token(TokenId("home"), UserId("owner")), True),
        *((Internal(purpose), True) for purpose in Purpose),
        (Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses")), False),
    ],
)
def test_an_agent_alone_does_not(principal: Principal, expected: bool) -> None:
    assert acts_for_a_person(principal) is expected
