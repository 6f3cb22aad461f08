"""Profiles and stored environments as they travel: a secret comes in and never goes out."""

from datetime import datetime
from typing import Any

import msgspec

from domain.execution import ExecutorType
from domain.mcp_server import McpServer, McpTransport
from domain.profile import AgentChoice, ExecutorChoice, Profile, WantedProfile
from domain.secret import Secret
from domain.stored_environment import ChosenEnvironment, StoredEnvironment

__all__ = (
    "AgentProfileBody",
    "AgentProfileUpdate",
    "EnvironmentBody",
    "ExecutorProfileBody",
    "ExecutorProfileUpdate",
    "NewAgentProfile",
    "NewEnvironment",
    "NewExecutorProfile",
)


class NewEnvironment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`secrets` maps a name to its value, or to null: the value that is stored stays."""

    environment: dict[str, str] = {}
    secrets: dict[str, str | None] = {}

    def chosen(self) -> ChosenEnvironment:
        values = self.secrets.items()
        return ChosenEnvironment(
            self.environment,
            {name: None if value is None else Secret(value) for name, value in values},
        )


class EnvironmentBody(msgspec.Struct, frozen=True):
    """Of `secrets` the names; those that were never given a value are in `missing_secrets` too."""

    environment: dict[str, str]
    secrets: list[str]
    missing_secrets: list[str]

    @classmethod
    def of(cls, stored: StoredEnvironment) -> "EnvironmentBody":
        return cls(dict(stored.literals), sorted(stored.sealed), list(stored.missing))


class McpServerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command with arguments (`stdio`), or a URL (`http`, `sse`).

    `variables` names variables of the profile that the command is given; `headers` maps a header to
    the variable that holds its value.
    """

    name: str
    transport: McpTransport = McpTransport.STDIO
    command: str = ""
    arguments: list[str] = []
    variables: list[str] = []
    url: str = ""
    headers: dict[str, str] = {}

    @classmethod
    def of(cls, server: McpServer) -> "McpServerBody":
        return cls(
            server.name,
            server.transport,
            server.command,
            list(server.arguments),
            list(server.variables),
            server.url,
            dict(server.headers),
        )

    def server(self) -> McpServer:
        return McpServer(
            self.name,
            self.transport,
            self.command,
            tuple(self.arguments),
            tuple(self.variables),
            self.url,
            self.headers,
        )


class _AgentProfile(NewEnvironment, frozen=True, kw_only=True):
    name: str
    agent: str
    model: str | None = None
    system_prompt: str | None = None
    mcp_servers: list[McpServerBody] = []

    def wanted(self) -> WantedProfile:
        servers = tuple(each.server() for each in self.mcp_servers)
        choice = AgentChoice(self.agent, self.model, self.system_prompt, servers)
        return WantedProfile(self.name, choice, self.chosen())


class NewAgentProfile(_AgentProfile, frozen=True, kw_only=True):
    workspace_id: str


class AgentProfileUpdate(_AgentProfile, frozen=True, kw_only=True):
    """The whole profile anew; `version` is the one that was read."""

    version: int


class _ExecutorProfile(NewEnvironment, frozen=True, kw_only=True):
    name: str
    executor: ExecutorType = ExecutorType.WORKTREE

    def wanted(self) -> WantedProfile:
        return WantedProfile(self.name, ExecutorChoice(self.executor), self.chosen())


class NewExecutorProfile(_ExecutorProfile, frozen=True, kw_only=True):
    workspace_id: str


class ExecutorProfileUpdate(_ExecutorProfile, frozen=True, kw_only=True):
    """The whole profile anew; `version` is the one that was read."""

    version: int


class _ProfileBody(EnvironmentBody, frozen=True, kw_only=True):
    id: str
    workspace_id: str
    name: str
    version: int
    created_at: datetime


class AgentProfileBody(_ProfileBody, frozen=True, kw_only=True):
    agent: str
    model: str | None
    system_prompt: str | None
    mcp_servers: list[McpServerBody]

    @classmethod
    def of_profile(cls, profile: Profile) -> "AgentProfileBody":
        choice = profile.choice
        if not isinstance(choice, AgentChoice):
            raise TypeError("a profile of the other kind")
        return cls(
            **_common(profile),
            agent=choice.agent,
            model=choice.model,
            system_prompt=choice.system_prompt,
            mcp_servers=[McpServerBody.of(each) for each in choice.mcp_servers],
        )


class ExecutorProfileBody(_ProfileBody, frozen=True, kw_only=True):
    executor: ExecutorType

    @classmethod
    def of_profile(cls, profile: Profile) -> "ExecutorProfileBody":
        choice = profile.choice
        if not isinstance(choice, ExecutorChoice):
            raise TypeError("a profile of the other kind")
        return cls(**_common(profile), executor=choice.executor)


def _common(profile: Profile) -> dict[str, Any]:  # the fields that both kinds have, by name
    return {
        **msgspec.structs.asdict(EnvironmentBody.of(profile.environment)),
        "id": profile.id,
        "workspace_id": profile.workspace,
        "name": profile.name,
        "version": profile.version,
        "created_at": profile.created_at,
    }
