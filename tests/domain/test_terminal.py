"""The sizes that a terminal may have."""

import pytest

from domain.outcome import Failure, Success
from domain.terminal import MAX_SIDE, InvalidSize, TerminalSize, check_size
from tests.requirements import requirement


@requirement("terminal:size")
@pytest.mark.parametrize("side", [1, MAX_SIDE])
def test_a_size_at_its_bounds_is_one(side: int) -> None:
    assert check_size(side, side) == Success(TerminalSize(side, side))


@requirement("terminal:size")
@pytest.mark.parametrize(("columns", "rows"), [(0, 24), (80, 0), (MAX_SIDE + 1, 1), (1, -1)])
def test_a_size_past_them_is_none(columns: int, rows: int) -> None:
    assert check_size(columns, rows) == Failure(InvalidSize())
