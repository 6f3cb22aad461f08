"""Which state of a session may follow which."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.outcome import Failure, failed
from domain.session import LIVE, Move, NotAllowed, SessionState, next_state

ALLOWED = {
    "starting": {
        "started": "idle",
        "start_failed": "failed",
        "stop_asked": "stopping",
        "ended": "failed",
    },
    "idle": {"turn_began": "running", "stop_asked": "stopping", "ended": "stopped"},
    "running": {"turn_ended": "idle", "stop_asked": "stopping", "ended": "stopped"},
    "stopping": {"turn_ended": "stopping", "start_failed": "stopped", "ended": "stopped"},
    "stopped": {"resume_asked": "starting"},
    "failed": {"resume_asked": "starting"},
}


@pytest.mark.parametrize("state", SessionState)
@pytest.mark.parametrize("move", Move)
def test_a_move_applies_in_the_states_of_the_table_and_in_no_other(
    state: SessionState, move: Move
) -> None:
    expected = ALLOWED[state.value].get(move.value)
    outcome = next_state(state, move)

    if expected is None:
        assert outcome == Failure(NotAllowed(state, move))
    else:
        assert outcome.unwrap().value == expected


@given(st.lists(st.sampled_from(Move), max_size=12))
def test_leases_hold_only_between_a_start_that_was_asked_for_and_an_end(moves: list[Move]) -> None:
    state, asked = SessionState.STARTING, True
    for move in moves:
        following = next_state(state, move)
        if failed(following):
            continue
        state = following.unwrap()
        asked = move is Move.RESUME_ASKED or (
            asked and move not in {Move.STOP_ASKED, Move.ENDED, Move.START_FAILED}
        )

    assert (state in LIVE) is asked


def test_every_state_leads_to_one_that_can_be_resumed() -> None:
    for state in SessionState:
        at_rest, steps = state, 0
        while at_rest not in {SessionState.STOPPED, SessionState.FAILED}:
            ended = next_state(at_rest, Move.ENDED)
            at_rest, steps = ended.unwrap(), steps + 1
        assert steps <= 1
        assert next_state(at_rest, Move.RESUME_ASKED).unwrap() is SessionState.STARTING
