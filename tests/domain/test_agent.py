"""The catalogue of agents, and agents that a user names."""

import pytest

from domain.agent import CATALOGUE, Agent, InvalidCommand, UnknownAgent, custom, find
from domain.outcome import Failure


def test_the_public_agents_are_known_each_by_one_name() -> None:
    names = [agent.name for agent in CATALOGUE]

    assert names == ["claude", "codex", "gemini", "opencode", "copilot", "amp"]
    assert all(agent.command and agent.install and agent.title for agent in CATALOGUE)


@pytest.mark.parametrize("agent", CATALOGUE, ids=lambda agent: agent.name)
def test_an_agent_is_found_by_its_exact_name(agent: Agent) -> None:
    name = agent.name

    assert find(name, CATALOGUE).unwrap() is agent
    assert find(name.upper(), CATALOGUE) == Failure(
        UnknownAgent(name.upper(), tuple(each.name for each in CATALOGUE))
    )


def test_an_unknown_agent_comes_with_the_names_there_are() -> None:
    assert find("nobody", []) == Failure(UnknownAgent("nobody", ()))


def test_any_command_can_be_an_agent() -> None:
    made = custom("mine", ["my-agent", "--acp", ""]).unwrap()

    assert (made.name, made.command) == ("mine", ("my-agent", "--acp", ""))
    assert not made.hard_stop


@pytest.mark.parametrize("command", [[], [""], [" "], ["a\0"], ["a", "b\0"]])
def test_a_command_that_cannot_be_started_is_refused(command: list[str]) -> None:
    assert custom("mine", command) == Failure(InvalidCommand("mine"))
