"""Names and policies as clients write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.credential_policy import Mode
from domain.outcome import Failure, Success, failed
from domain.workspace import MAX_NAME, InvalidName, UnknownMode, check_name, parse_mode


@pytest.mark.parametrize(
    ("text", "name"),
    [("Shop", "Shop"), ("  Web  shop ", "Web  shop"), ("Größe \N{ROCKET}", "Größe \N{ROCKET}")],
)
def test_a_name_loses_only_the_blanks_around_it(text: str, name: str) -> None:
    assert check_name(text) == Success(name)


def test_a_name_is_held_to_its_bound() -> None:
    assert check_name("x" * MAX_NAME) == Success("x" * MAX_NAME)
    assert check_name(f" {'x' * MAX_NAME} ") == Success("x" * MAX_NAME)
    assert check_name("x" * (MAX_NAME + 1)) == Failure(InvalidName(MAX_NAME + 1))


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "a\nb", "a\0b", "a\x7fb", "a\x1bb"])
def test_a_name_that_shows_nothing_or_controls_something_is_refused(text: str) -> None:
    assert failed(check_name(text))


@pytest.mark.parametrize("mode", Mode)
def test_a_policy_is_read_whatever_its_case_and_the_blanks_around_it(mode: Mode) -> None:
    for text in (mode.value, mode.value.upper(), f"  {mode.value.title()}\n"):
        assert parse_mode(text) == Success(mode)


@given(st.text().filter(lambda text: text.strip().lower() not in {mode.value for mode in Mode}))
def test_any_other_word_is_no_policy(text: str) -> None:
    assert parse_mode(text) == Failure(UnknownMode())
