"""Prompts are held to their bound in bytes."""

import pytest

from domain.outcome import Failure, Success
from domain.task import MAX_PROMPT_BYTES, InvalidPrompt, check_prompt


@pytest.mark.parametrize("text", ["Go.", " Go.\n", "Größer! \N{ROCKET}", "x" * MAX_PROMPT_BYTES])
def test_a_prompt_is_taken_as_it_is(text: str) -> None:
    assert check_prompt(text) == Success(text)


@pytest.mark.parametrize("mark", ["x", "ö", "\N{ROCKET}"])
def test_the_bound_is_of_bytes(mark: str) -> None:
    size = len(mark.encode())
    longest = mark * (MAX_PROMPT_BYTES // size)

    assert check_prompt(longest) == Success(longest)
    over = len((longest + mark).encode())
    assert check_prompt(longest + mark) == Failure(InvalidPrompt(over))


@pytest.mark.parametrize(("text", "size"), [("", 0), (" ", 1), ("\n\t ", 3)])
def test_a_blank_prompt_asks_for_nothing(text: str, size: int) -> None:
    assert check_prompt(text) == Failure(InvalidPrompt(size))
