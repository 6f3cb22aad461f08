"""What waits for what, among the sessions of a task: every pair."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from domain.identity import SessionId, TaskId
from domain.session import Session, SessionState
from domain.session_order import Wish, waits
from tests.requirements import requirement

OWN = Session(
    id=SessionId("own"),
    task=TaskId("task"),
    agent="demo",
    state=SessionState.STOPPED,
    execution=None,
    acp_session=None,
    failure=None,
    metadata={},
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)
OTHER = replace(OWN, id=SessionId("other"))

STARTING, STOPPING = SessionState.STARTING, SessionState.STOPPING
WAITS = {
    (Wish.START, STOPPING, True),
    (Wish.START, STOPPING, False),
    (Wish.INSTANCE, STARTING, True),
    (Wish.INSTANCE, STOPPING, True),
    (Wish.INSTANCE, STOPPING, False),
}


@requirement("session:order")
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("state", SessionState)
@pytest.mark.parametrize("wish", Wish)
def test_an_agent_is_wanted_after_what_goes_on_and_a_stop_waits_for_nothing(
    wish: Wish, state: SessionState, own: bool
) -> None:
    sessions = [replace(OWN if own else OTHER, state=state)]

    assert waits(wish, OWN.id, sessions) is ((wish, state, own) in WAITS)


@requirement("session:order")
@pytest.mark.parametrize("wish", Wish)
def test_nothing_waits_where_there_is_no_session(wish: Wish) -> None:
    assert not waits(wish, None, [])


@requirement("session:order")
def test_a_session_that_is_to_come_waits_for_a_stop_but_not_for_another_start() -> None:
    assert waits(Wish.START, None, [OWN, replace(OTHER, state=STOPPING)])
    assert not waits(Wish.START, None, [OWN, replace(OTHER, state=STARTING)])
