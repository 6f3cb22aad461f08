"""The agents that can be launched: public ones that speak ACP, and any command a user names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.outcome import Failure, Result, Success

__all__ = ("CATALOGUE", "Agent", "InvalidCommand", "UnknownAgent", "custom", "find")


@dataclass(frozen=True, slots=True)
class Agent:
    """How an agent is started.

    `command` is looked up on the instance's `PATH`; `install` says how to get it, in words for a
    person. `environment` are the defaults of the agent's layer, `profile` what a user chose for an
    agent of their own. `hard_stop`: it ignores the polite ways to stop, so its group is killed at
    once.
    """

    name: str
    title: str
    command: tuple[str, ...]
    install: str
    environment: Mapping[str, str] = field(default_factory=dict)
    profile: Mapping[str, str] = field(default_factory=dict, repr=False)
    hard_stop: bool = False


CATALOGUE: tuple[Agent, ...] = (
    Agent(
        "claude",
        "Claude Code",
        ("claude-agent-acp",),
        "npm install -g @agentclientprotocol/claude-agent-acp",
    ),
    Agent("codex", "Codex", ("codex-acp",), "npm install -g @agentclientprotocol/codex-acp"),
    Agent("gemini", "Gemini CLI", ("gemini", "--acp"), "npm install -g @google/gemini-cli"),
    Agent(
        "opencode",
        "OpenCode",
        ("opencode", "acp"),
        "npm install -g opencode-ai",
        hard_stop=True,
    ),
    Agent("copilot", "GitHub Copilot CLI", ("copilot", "--acp"), "npm install -g @github/copilot"),
    Agent("amp", "Amp", ("amp-acp",), "npm install -g amp-acp"),
)
"""The public agents, in the order they are listed."""


@dataclass(frozen=True, slots=True)
class UnknownAgent:
    """No agent has this name; `known` are the names there are."""

    name: str
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InvalidCommand:
    """A custom agent's command is empty or holds a NUL."""

    name: str


def custom(name: str, command: Sequence[str]) -> Result[Agent, InvalidCommand]:
    """An agent that the user names by its command; it must speak ACP on stdio."""
    if not command or not command[0].strip() or any("\0" in word for word in command):
        return Failure(InvalidCommand(name))
    return Success(Agent(name, name, tuple(command), f"install {command[0]} yourself"))


def find(name: str, agents: Sequence[Agent]) -> Result[Agent, UnknownAgent]:
    found = next((agent for agent in agents if agent.name == name), None)
    return Success(found) if found else Failure(UnknownAgent(name, tuple(a.name for a in agents)))
