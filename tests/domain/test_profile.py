"""Profiles: what may be stored, and what their layers are called."""

from dataclasses import replace

import pytest

from domain.environment import is_chosen
from domain.execution import ExecutorType
from domain.mcp_server import InvalidMcpServer, McpFault, McpServer, McpTransport
from domain.outcome import Failure, Success
from domain.profile import (
    MAX_MODEL,
    MAX_SYSTEM_PROMPT_BYTES,
    AgentChoice,
    ExecutorChoice,
    InvalidChoice,
    ProfileKind,
    WantedProfile,
    check,
    layer_name,
)
from domain.stored_environment import ChosenEnvironment
from domain.variables import InvalidVariable
from domain.workspace import InvalidName
from tests.requirements import requirement

CLAUDE = AgentChoice("claude")


def test_a_profile_is_stored_with_its_name_in_order() -> None:
    local = ExecutorChoice(ExecutorType.LOCAL)

    assert check(WantedProfile(" Fast ", CLAUDE)) == Success(WantedProfile("Fast", CLAUDE))
    assert check(WantedProfile("Here", local)) == Success(WantedProfile("Here", local))


@requirement("profile:refused")
@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (WantedProfile("", CLAUDE), InvalidName(0)),
        (WantedProfile("a", replace(CLAUDE, model="")), InvalidChoice("model")),
        (WantedProfile("a", replace(CLAUDE, model="a\nb")), InvalidChoice("model")),
        (WantedProfile("a", replace(CLAUDE, system_prompt="")), InvalidChoice("system_prompt")),
        (WantedProfile("a", CLAUDE, ChosenEnvironment({"=": ""})), InvalidVariable("=")),
        (
            WantedProfile("a", replace(CLAUDE, mcp_servers=(McpServer("s", McpTransport.STDIO),))),
            InvalidMcpServer(0, McpFault.COMMAND),
        ),
    ],
)
def test_a_profile_that_could_not_be_used_is_refused(
    wanted: WantedProfile, problem: object
) -> None:
    assert check(wanted) == Failure(problem)


@requirement("profile:bounds")
@pytest.mark.parametrize("over", [0, 1])
def test_a_model_and_a_system_prompt_are_held_to_their_bounds(over: int) -> None:
    model = WantedProfile("a", replace(CLAUDE, model="m" * (MAX_MODEL + over)))
    text = "ä" * (MAX_SYSTEM_PROMPT_BYTES // 2) + "x" * over
    prompt = WantedProfile("a", replace(CLAUDE, system_prompt=text))

    assert check(model) == (Failure(InvalidChoice("model")) if over else Success(model))
    assert check(prompt) == (Failure(InvalidChoice("system_prompt")) if over else Success(prompt))


@pytest.mark.parametrize("kind", ProfileKind)
@pytest.mark.parametrize("name", ["Fast", "host", "managed", "defaults"])
def test_the_layer_of_a_profile_is_one_that_somebody_chose(kind: ProfileKind, name: str) -> None:
    assert layer_name(kind, name) == f"{kind.value} profile {name}"
    assert is_chosen(layer_name(kind, name))
