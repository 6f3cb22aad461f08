"""What fits into one answer of a tool."""

import pytest

from domain.tool_bounds import fitting


@pytest.mark.parametrize(
    ("sizes", "taken"),
    [
        ([], 0),
        ([4, 6], 2),
        ([4, 7], 1),
        ([11], 1),
        ([11, 1], 1),
        ([5, 5, 1], 2),
    ],
)
def test_as_many_items_are_taken_as_fit_and_never_none(sizes: list[int], taken: int) -> None:
    assert fitting(sizes, 10) == taken
