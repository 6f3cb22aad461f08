"""Variables are refused exactly when no process can be given them."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.outcome import Failure, Success, failed
from domain.variables import InvalidVariable, check_variables


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"": "1"}, ""),
        ({"A=B": "1"}, "A=B"),
        ({"=": "1"}, "="),
        ({"A\0": "1"}, "A\0"),
        ({"A": "x\0y"}, "A"),
        ({"FINE": "1", "A=": "1"}, "A="),
    ],
)
def test_what_cannot_be_passed_is_named(variables: dict[str, str], name: str) -> None:
    assert check_variables(variables) == Failure(InvalidVariable(name))


def test_everything_else_can_be_passed() -> None:
    assert check_variables({}) == Success(None)
    assert check_variables({"A": "", "a b": "=", "ü": "\n\t"}) == Success(None)


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.text(st.sampled_from("Aü =\0"), max_size=3), st.text(st.sampled_from("x=\0"), max_size=2)
    )
)
def test_the_system_passes_what_we_pass(variables: dict[str, str]) -> None:
    try:
        done = subprocess.run(
            ["/usr/bin/env", "-0"], env=variables, capture_output=True, check=True
        )
        arrived = [pair.partition("=") for pair in done.stdout.decode().split("\0") if pair]
        passed = {name: value for name, _, value in arrived} == variables and "" not in variables
    except ValueError:
        passed = False

    assert failed(check_variables(variables)) is not passed
