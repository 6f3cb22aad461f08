"""What may be stored as an environment: what a process can be given, and a sink can mask."""

import pytest

from domain.git_config import MalformedGitConfig, Reason
from domain.outcome import Failure, Success
from domain.secret import Secret
from domain.stored_environment import (
    MAX_BYTES,
    MAX_SECRETS,
    MAX_VARIABLE_BYTES,
    ChosenEnvironment,
    EnvironmentFault,
    StoredEnvironment,
    UnstorableVariable,
    check,
)
from domain.variables import InvalidVariable
from tests.requirements import requirement

LAYER = "agent profile fast"
LONG = "long-enough"


@requirement("profile:refused")
@pytest.mark.parametrize(
    ("literals", "secrets", "problem"),
    [
        ({"": "x"}, {}, InvalidVariable("")),
        ({"A=B": "x"}, {}, InvalidVariable("A=B")),
        ({}, {"A": Secret(f"{LONG}\0")}, InvalidVariable("A")),
        ({"A": "\udc80"}, {}, InvalidVariable("A")),
        ({"KANDEV_X": ""}, {}, UnstorableVariable("KANDEV_X", EnvironmentFault.RESERVED)),
        ({}, {"AGENTCTL_X": None}, UnstorableVariable("AGENTCTL_X", EnvironmentFault.RESERVED)),
        ({"A": "x"}, {"A": None}, UnstorableVariable("A", EnvironmentFault.DEFINED_TWICE)),
        ({}, {"A": Secret("")}, UnstorableVariable("A", EnvironmentFault.UNREDACTABLE)),
        ({}, {"A": Secret("1234567")}, UnstorableVariable("A", EnvironmentFault.UNREDACTABLE)),
        (
            {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b"},
            {},
            MalformedGitConfig(LAYER, "GIT_CONFIG_VALUE_0", 0, Reason.MISSING_VALUE),
        ),
    ],
)
def test_what_could_not_be_given_is_refused(
    literals: dict[str, str], secrets: dict[str, Secret | None], problem: object
) -> None:
    assert check(ChosenEnvironment(literals, secrets), LAYER) == Failure(problem)


def test_a_list_of_git_may_hide_values_and_keys_in_secrets() -> None:
    chosen = ChosenEnvironment(
        {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "a.b", "EMPTY": ""},
        {
            "GIT_CONFIG_VALUE_0": None,
            "GIT_CONFIG_KEY_1": None,
            "GIT_CONFIG_VALUE_1": Secret("12345678"),
        },
    )

    assert check(chosen, LAYER) == Success(chosen)


@requirement("profile:bounds")
@pytest.mark.parametrize("over", [0, 1])
def test_one_variable_is_held_to_its_bound(over: int) -> None:
    value = "x" * (MAX_VARIABLE_BYTES - len("A=\0") + over)
    chosen = ChosenEnvironment({"A": value})

    wanted = Failure(UnstorableVariable("A", EnvironmentFault.TOO_LONG)) if over else None
    assert check(chosen, LAYER) == (wanted or Success(chosen))


@requirement("profile:bounds")
@pytest.mark.parametrize("over", [0, 1])
def test_all_variables_together_are_held_to_their_bound(over: int) -> None:
    part = MAX_BYTES // 8
    literals = {f"A{index}": "ä" * ((part - 4) // 2) for index in range(8)}
    literals["A0"] += "x" * over

    wanted = Failure(UnstorableVariable("", EnvironmentFault.TOO_LONG)) if over else None
    chosen = ChosenEnvironment(literals)
    assert check(chosen, LAYER) == (wanted or Success(chosen))


@requirement("profile:bounds")
@pytest.mark.parametrize("over", [0, 1])
def test_secrets_are_held_to_their_bound(over: int) -> None:
    chosen = ChosenEnvironment({}, dict.fromkeys(map(str, range(MAX_SECRETS + over))))

    wanted = Failure(UnstorableVariable("", EnvironmentFault.TOO_MANY_SECRETS)) if over else None
    assert check(chosen, LAYER) == (wanted or Success(chosen))


@requirement("profile:secret")
def test_an_environment_prints_no_value() -> None:
    stored = StoredEnvironment({"A": "shown-nowhere"}, {"B": b"sealed", "C": None, "A1": None})
    chosen = ChosenEnvironment({"A": "shown-nowhere"}, {"B": Secret("shown-nowhere")})

    assert "shown-nowhere" not in f"{stored}{chosen}"
    assert "sealed" not in repr(stored.sealed.keys())
    assert stored.missing == ("A1", "C")
