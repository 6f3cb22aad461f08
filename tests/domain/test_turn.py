"""Turns end once, by the ending that names them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.event import EventKind, ExecutionEvent
from domain.failure_reason import FailureReason
from domain.identity import ExecutionId, RepositoryId, SessionId, TurnId
from domain.turn import Ending, Turn, TurnState, ended, ending, ends, interrupted
from domain.turn_evidence import Dirty, RepositoryEvidence, to_json

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TURN = Turn(TurnId("turn"), SessionId("ses"), ExecutionId("exec"), 2, "Go.", TurnState.RUNNING, NOW)


def complete(body: dict[str, object], generation: int | None = 2) -> ExecutionEvent:
    return ExecutionEvent(1, NOW, EventKind.COMPLETE, generation, body)


@pytest.mark.parametrize("state", [each for each in TurnState if each is not TurnState.RUNNING])
def test_an_ending_is_read_as_it_was_told(state: TurnState) -> None:
    told = complete({"state": state.value, "stop_reason": "end_turn", "error": "words"})

    assert ending(told) == Ending(2, state, "end_turn", "words")


def test_an_ending_tells_why_it_failed_and_what_it_left() -> None:
    left = RepositoryEvidence(RepositoryId("r1"), "a", "b", Dirty(1, ("file",)), 2)
    told = complete({"state": "failed", "reason": "rate_limited", "evidence": to_json((left,))})
    over = ended(TURN, Ending(2, TurnState.FAILED, None, None, FailureReason.RATE, (left,)), NOW)

    assert ending(told) == Ending(2, TurnState.FAILED, None, None, FailureReason.RATE, (left,))
    assert (over.reason, over.evidence) == (FailureReason.RATE, (left,))


@pytest.mark.parametrize("reason", [None, 7, "bad_mood", []])
def test_a_reason_that_is_not_known_is_none(reason: object) -> None:
    told = complete({"state": "failed", "reason": reason})

    assert ending(told) == Ending(2, TurnState.FAILED)


@pytest.mark.parametrize(
    "body",
    [{}, {"state": None}, {"state": "finished"}, {"state": 7}, {"state": "running"}, {"state": []}],
)
def test_a_state_that_is_not_known_is_not_guessed(body: dict[str, object]) -> None:
    assert ending(complete(body)) == Ending(2, TurnState.UNKNOWN)


@pytest.mark.parametrize("value", [None, 7, [], {"a": 1}])
def test_words_that_are_none_are_passed_over(value: object) -> None:
    told = complete({"state": "failed", "stop_reason": value, "error": value})

    assert ending(told) == Ending(2, TurnState.FAILED, None, None)


@pytest.mark.parametrize("kind", [each for each in EventKind if each is not EventKind.COMPLETE])
def test_no_other_event_ends_a_turn(kind: EventKind) -> None:
    assert ending(ExecutionEvent(1, NOW, kind, 2, {"state": "completed"})) is None


def test_an_ending_outside_a_turn_ends_none() -> None:
    assert ending(complete({"state": "completed"}, generation=None)) is None


def test_only_the_first_ending_of_its_own_ends_a_turn() -> None:
    own = Ending(2, TurnState.COMPLETED)
    over = ended(TURN, own, NOW)

    assert ends(TURN, own)
    assert not ends(TURN, Ending(1, TurnState.COMPLETED))
    assert not ends(over, Ending(2, TurnState.FAILED))
    assert over == replace(TURN, state=TurnState.COMPLETED, ended_at=NOW)


def test_a_turn_whose_agent_is_gone_is_interrupted() -> None:
    how = interrupted(TURN)

    assert ends(TURN, how)
    assert (how.state, how.stop_reason) == (TurnState.INTERRUPTED, None)
    assert how.error


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["state", "stop_reason", "error", "x"]), json_values))
def test_whatever_a_complete_event_holds_it_ends_the_turn_it_names(body: dict[str, Any]) -> None:
    how = ending(complete(body))

    assert how is not None
    assert ends(TURN, how)
    assert how.state is not TurnState.RUNNING
