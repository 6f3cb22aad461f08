"""What is told of a difference has bounds, and all of it is counted."""

import pytest

from domain.parity import (
    MAX_NAME_CHARACTERS,
    MAX_NAMES,
    Difference,
    DifferenceKind,
    difference,
)
from tests.requirements import requirement

KIND = DifferenceKind.SPARSE


@requirement("parity:bound")
@pytest.mark.parametrize("over", [0, 1])
def test_the_first_names_are_told_and_all_are_counted(over: int) -> None:
    names = [str(each) for each in range(MAX_NAMES + over)]

    assert difference(KIND, names) == Difference(KIND, tuple(names[:MAX_NAMES]), len(names))


@requirement("parity:bound")
@pytest.mark.parametrize("over", [0, 1])
def test_a_name_is_cut_at_its_bound(over: int) -> None:
    told = difference(KIND, ["x" * (MAX_NAME_CHARACTERS + over)])

    assert told is not None
    assert told.names == ("x" * MAX_NAME_CHARACTERS,)


@requirement("parity:bound")
def test_a_name_that_is_not_utf_8_can_be_said_in_json() -> None:
    told = difference(KIND, [b"a\xff".decode("utf-8", "surrogateescape")])

    assert told is not None
    assert told.names == ("a\ufffd",)


def test_no_names_are_no_difference() -> None:
    assert difference(KIND, []) is None
