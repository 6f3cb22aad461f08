"""The stop for tools that ask for ever."""

import pytest

from domain.refusal_loop import MAX_AGAIN, MAX_TRAILS, WINDOW_SECONDS, Trail, asked, refused
from tests.requirements import requirement


def play(moves: list[tuple[str, str, float]]) -> list[bool]:
    """The stops that a series of (what, secret, when) leads to, one for each time it is asked."""
    trails: dict[bytes, Trail] = {}
    stops: list[bool] = []
    for what, secret, when in moves:
        if what == "refused":
            trails = refused(trails, secret.encode(), when)
        else:
            trails, stop = asked(trails, secret.encode(), when)
            stops.append(stop)
    return stops


def rounds(count: int, seconds: float = 1.0, secret: str = "s") -> list[tuple[str, str, float]]:
    """As git-lfs does it: get, erase, get, erase, ..."""
    return [
        move
        for number in range(count)
        for move in (
            ("asked", secret, number * seconds),
            ("refused", secret, number * seconds + 0.1),
        )
    ]


@requirement("credentials:loop:stop")
def test_the_third_repetition_within_a_minute_is_stopped_and_the_next_as_well() -> None:
    assert play(rounds(6)) == [False] * MAX_AGAIN + [True] * 3


@requirement("credentials:loop:stop")
@pytest.mark.parametrize(("seconds", "stop"), [(29.9, True), (30.1, False)])
def test_repetitions_count_for_a_minute(seconds: float, stop: bool) -> None:
    assert play(rounds(4, seconds))[-1] is stop


def test_a_repetition_exactly_a_minute_old_no_longer_counts() -> None:
    again = [
        ("refused", "s", 0.0),
        ("asked", "s", 0.0),
        ("refused", "s", 30.0),
        ("asked", "s", 30.0),
    ]

    assert play([*again, ("refused", "s", 59.9), ("asked", "s", 59.9)])[-1]
    assert not play([*again, ("refused", "s", 60.0), ("asked", "s", WINDOW_SECONDS)])[-1]


def test_a_stop_ends_by_itself() -> None:
    assert play([*rounds(4), ("asked", "s", 4.0 + WINDOW_SECONDS)])[-2:] == [True, False]


@requirement("credentials:loop:good")
def test_a_secret_that_is_asked_for_often_and_never_refused_is_never_stopped() -> None:
    assert play([("asked", "s", number * 0.1) for number in range(100)]) == [False] * 100


@requirement("credentials:loop:good")
def test_many_refusals_of_one_answer_count_once() -> None:
    burst = [("refused", "s", 0.1 * number) for number in range(20)]

    assert play([*burst, ("asked", "s", 3.0), ("asked", "s", 4.0)]) == [False, False]


def test_another_secret_starts_afresh() -> None:
    assert play([*rounds(4), ("asked", "new", 5.0)])[-1] is False


def test_at_most_the_bound_is_watched_and_the_oldest_is_forgotten() -> None:
    trails: dict[bytes, Trail] = {}
    for number in range(MAX_TRAILS):
        trails = refused(trails, str(number).encode(), 1.0)
    assert len(trails) == MAX_TRAILS

    trails = refused(trails, b"one more", 1.0)

    assert len(trails) == MAX_TRAILS
    assert b"0" not in trails
    assert b"1" in trails


def test_what_was_not_heard_of_for_a_minute_is_forgotten() -> None:
    trails = refused({}, b"old", 0.0)

    assert set(refused(trails, b"new", WINDOW_SECONDS)) == {b"new"}
