"""The agents that a user named: `agents.toml` in the home.

[agents.mine]
command = ["my-agent", "--acp"]
title = "My agent"
install = "pipx install my-agent"
environment = { MY_AGENT_MODEL = "large" }
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typing_extensions import TypeIs

from adapters.agents.catalogue import SCRIPTED
from domain.agent import CATALOGUE, Agent, custom
from domain.outcome import Failure, Result, Success, failed

__all__ = ("FILE", "MAX_BYTES", "MalformedAgents", "read_named")

FILE: Final = "agents.toml"
MAX_BYTES: Final = 64 * 1024

_TAKEN: Final = {SCRIPTED, *(each.name for each in CATALOGUE)}


@dataclass(frozen=True, slots=True)
class MalformedAgents:
    """The file cannot be read as agents; `reason` says which part, without its content."""

    path: str
    reason: str


def read_named(file: Path) -> Result[Sequence[Agent], MalformedAgents]:
    """The named agents in the order of the file; none when there is no file."""
    try:
        content = file.read_bytes() if file.stat().st_size <= MAX_BYTES else None
    except FileNotFoundError:
        return Success(())
    except OSError as error:
        return Failure(MalformedAgents(str(file), error.strerror or "unreadable"))
    if content is None:
        return Failure(MalformedAgents(str(file), f"over {MAX_BYTES} bytes"))
    try:
        table = tomllib.loads(content.decode()).get("agents", {})
    except ValueError:
        return Failure(MalformedAgents(str(file), "not TOML"))
    if not isinstance(table, dict):
        return Failure(MalformedAgents(str(file), "agents is no table"))
    agents: list[Agent] = []
    for name, described in table.items():
        agent = _agent(name, described)
        if agent is None:
            return Failure(MalformedAgents(str(file), f"agents.{name} is no agent"))
        agents.append(agent)
    return Success(agents)


def _agent(name: str, described: object) -> Agent | None:
    """An agent of its own name, with a command; None for anything else."""
    match described:
        case {"command": list(command), **rest} if all(isinstance(word, str) for word in command):
            made = custom(name, command)
        case _:
            return None
    if failed(made) or name in _TAKEN or rest.keys() - {"title", "install", "environment"}:
        return None
    agent = made.unwrap()
    title, install = rest.get("title", agent.title), rest.get("install", agent.install)
    profile = rest.get("environment", {})
    if not isinstance(title, str) or not isinstance(install, str) or not _is_profile(profile):
        return None
    return Agent(name, title, agent.command, install, profile=profile)


def _is_profile(value: object) -> TypeIs[dict[str, str]]:
    """Names and values that a process can be given."""
    return isinstance(value, dict) and all(
        isinstance(text, str) and "\0" not in name + text and name and "=" not in name
        for name, text in value.items()
    )
