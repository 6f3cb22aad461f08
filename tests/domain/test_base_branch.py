"""Where a branch begins: nothing stands in for what was asked for."""

import pytest

from domain.base_branch import Beginning, beginning
from tests.requirements import requirement


@requirement("branch:base")
@pytest.mark.parametrize(
    ("asked", "clone", "expected"),
    [
        (None, True, Beginning("origin/main", ("origin/HEAD",))),
        ("topic", True, Beginning("origin/topic", ("topic",))),
        (None, False, Beginning("main", ("origin/main", "origin/HEAD", "HEAD"))),
        ("topic", False, Beginning("topic", ("origin/topic",))),
    ],
)
def test_a_branch_begins_at_the_first_of_these_that_is_there(
    asked: str | None, clone: bool, expected: Beginning
) -> None:
    assert beginning(asked, "main", clone=clone) == expected
