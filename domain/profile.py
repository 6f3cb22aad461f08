"""Profiles: what someone chose once for every agent that is launched with it.

An agent profile says which agent works and how, an executor profile where; either has variables of
its own. A session names its profiles, and each of its starts reads them as they are then.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from domain import mcp_server, stored_environment
from domain.environment import LayerName
from domain.execution import ExecutorType
from domain.identity import ProfileId, WorkspaceId
from domain.mcp_server import InvalidMcpServer, McpServer
from domain.outcome import Failure, Result, Success, failed
from domain.stored_environment import (
    ChosenEnvironment,
    StoredEnvironment,
    UnstorableEnvironment,
)
from domain.workspace import InvalidName, check_name

__all__ = (
    "MAX_MODEL",
    "MAX_SYSTEM_PROMPT_BYTES",
    "AgentChoice",
    "ExecutorChoice",
    "InvalidChoice",
    "Profile",
    "ProfileChoice",
    "ProfileKind",
    "UnstorableProfile",
    "WantedProfile",
    "check",
    "layer_name",
)

MAX_MODEL: Final = 255
"""Characters of a model's name."""
MAX_SYSTEM_PROMPT_BYTES: Final = 64 * 1024
"""The largest system prompt, in bytes of UTF-8."""


class ProfileKind(StrEnum):
    """What a profile is chosen for."""

    AGENT = "agent"
    EXECUTOR = "executor"


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """Which agent, and how it works; None is the agent's own way."""

    agent: str
    model: str | None = None
    system_prompt: str | None = None
    mcp_servers: tuple[McpServer, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecutorChoice:
    """Where the agent runs."""

    executor: ExecutorType


ProfileChoice: TypeAlias = AgentChoice | ExecutorChoice


@dataclass(frozen=True, slots=True)
class WantedProfile:
    """A profile as someone asks for it."""

    name: str
    choice: ProfileChoice
    environment: ChosenEnvironment = field(default_factory=ChosenEnvironment)

    @property
    def kind(self) -> ProfileKind:
        return kind_of(self.choice)


@dataclass(frozen=True, slots=True)
class Profile:
    """A stored profile; no two of a kind have one name in a workspace.

    `version` grows with every write and is compared when two writers meet.
    """

    id: ProfileId
    workspace: WorkspaceId
    name: str
    choice: ProfileChoice
    environment: StoredEnvironment
    created_at: datetime
    version: int = 0

    @property
    def kind(self) -> ProfileKind:
        return kind_of(self.choice)

    @property
    def layer(self) -> str:
        """The name of its layer in an environment."""
        return layer_name(self.kind, self.name)


@dataclass(frozen=True, slots=True)
class InvalidChoice:
    """The field of this name is not usable."""

    field: str


UnstorableProfile: TypeAlias = (
    InvalidName | InvalidChoice | InvalidMcpServer | UnstorableEnvironment
)


def check(wanted: WantedProfile) -> Result[WantedProfile, UnstorableProfile]:
    """The profile with its name in order, or why it must not be stored."""
    named = check_name(wanted.name)
    if failed(named):
        return named
    name = named.unwrap()
    storable = stored_environment.check(wanted.environment, layer_name(wanted.kind, name))
    if failed(storable):
        return storable
    if isinstance(wanted.choice, AgentChoice):
        usable = _check_agent(wanted.choice, wanted.environment)
        if failed(usable):
            return usable
    return Success(replace(wanted, name=name))


def layer_name(kind: ProfileKind, name: str) -> str:
    layers = {
        ProfileKind.AGENT: LayerName.AGENT_PROFILE,
        ProfileKind.EXECUTOR: LayerName.EXECUTOR_PROFILE,
    }
    return f"{layers[kind]} {name}"


def kind_of(choice: ProfileChoice) -> ProfileKind:
    return ProfileKind.AGENT if isinstance(choice, AgentChoice) else ProfileKind.EXECUTOR


def _check_agent(
    choice: AgentChoice, environment: ChosenEnvironment
) -> Result[None, InvalidChoice | InvalidMcpServer]:
    model, prompt = choice.model, choice.system_prompt
    if model is not None and not (0 < len(model) <= MAX_MODEL and model.isprintable()):
        return Failure(InvalidChoice("model"))
    if prompt is not None and not 0 < _size(prompt) <= MAX_SYSTEM_PROMPT_BYTES:
        return Failure(InvalidChoice("system_prompt"))
    names = frozenset({*environment.literals, *environment.secrets})
    return mcp_server.check_servers(choice.mcp_servers, names).map(lambda _: None)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
