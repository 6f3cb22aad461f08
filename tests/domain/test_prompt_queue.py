"""The queue of a session's prompts: its bound, its order, and which of them is due."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.access import NotFound
from domain.identity import QueuedId, SessionId, TurnId
from domain.outcome import Failure, Success
from domain.prompt_queue import (
    MAX_QUEUED,
    QueueChanged,
    QueuedPrompt,
    QueueFull,
    admitted,
    due,
    first_in_line,
    found,
    reordered,
    waiting,
)
from domain.session import SessionState
from domain.turn import TurnState

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def prompt(name: str, position: int = 0) -> QueuedPrompt:
    return QueuedPrompt(QueuedId(name), SessionId("ses"), position, f"Do {name}.", NOW)


def queue(*names: str) -> list[QueuedPrompt]:
    return [prompt(name, position) for position, name in enumerate(names, 1)]


def order(prompts: tuple[QueuedPrompt, ...]) -> list[str]:
    return [each.id for each in waiting(prompts)]


def going(each: QueuedPrompt) -> QueuedPrompt:
    return replace(each, turn=TurnId("turn"))


@pytest.mark.parametrize("size", range(MAX_QUEUED))
def test_a_prompt_is_admitted_behind_all_others(size: int) -> None:
    before = queue(*(str(each) for each in range(size)))

    assert admitted(before, prompt("new")) == Success(prompt("new", size + 1))


def test_a_queue_at_its_bound_takes_none_also_while_one_is_delivered() -> None:
    [first, *others] = queue(*(str(each) for each in range(MAX_QUEUED)))

    assert admitted([first, *others], prompt("new")) == Failure(QueueFull())
    assert admitted([going(first), *others], prompt("new")) == Failure(QueueFull())


@given(st.permutations(["a", "b", "c", "d"]))
def test_an_order_of_exactly_what_waits_is_taken(names: list[str]) -> None:
    before = queue("a", "b", "c", "d")

    after = reordered(before, [QueuedId(each) for each in names]).unwrap()

    assert order(after) == names
    assert sorted(each.position for each in after) == [1, 2, 3, 4]


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "c"], ["a", "a"], ["a", "x"], ["b", "c"]])
def test_an_order_of_anything_else_changes_nothing(names: list[str]) -> None:
    [first, *others] = queue("gone", "a", "b")

    refused = reordered([going(first), *others], [QueuedId(each) for each in names])

    assert refused == Failure(QueueChanged((QueuedId("a"), QueuedId("b"))))


def test_what_is_being_delivered_is_not_found_and_keeps_its_place() -> None:
    [first, second] = queue("a", "b")
    now = [going(first), second]

    assert waiting(now) == (second,)
    assert found(now, second.id) == Success(second)
    assert found(now, first.id) == Failure(NotFound("prompt"))
    assert waiting([second, first]) == (first, second)


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_who_is_sent_now_is_first_in_line(name: str) -> None:
    before = queue("a", "b", "c")
    sent = first_in_line(before, found(before, QueuedId(name)).unwrap())

    after = tuple(sent if each.id == name else each for each in before)

    assert order(after)[0] == name
    assert due(after, SessionState.IDLE, TurnState.CANCELLED) == sent


@pytest.mark.parametrize(
    ("last", "goes"),
    [(None, True), *((state, state is TurnState.COMPLETED) for state in TurnState)],
)
def test_a_prompt_follows_a_turn_that_completed_and_no_other(
    last: TurnState | None, goes: bool
) -> None:
    before = queue("a", "b")

    assert due(before, SessionState.IDLE, last) == (before[0] if goes else None)


@pytest.mark.parametrize("state", [each for each in SessionState if each is not SessionState.IDLE])
def test_nothing_is_due_unless_the_agent_waits(state: SessionState) -> None:
    urgent = replace(prompt("a"), urgent=True)

    assert due([urgent], state, TurnState.COMPLETED) is None


def test_one_is_delivered_at_a_time() -> None:
    [first, second] = queue("a", "b")

    assert due([going(first), second], SessionState.IDLE, TurnState.COMPLETED) is None
    assert due([], SessionState.IDLE, TurnState.COMPLETED) is None
