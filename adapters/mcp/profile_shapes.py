"""What the tools take and give of profiles: who works and where, never their variables."""

from typing import Annotated

from pydantic import Field

from adapters.mcp.answers import Answer
from adapters.mcp.arguments import Id, ListTasks
from domain.execution import ExecutorType
from domain.profile import AgentChoice, ExecutorChoice, Profile

__all__ = ("AgentProfile", "AgentProfiles", "ExecutorProfile", "ExecutorProfiles", "ListProfiles")


class ListProfiles(ListTasks):
    workspace_id: Annotated[Id, Field(description="From list_workspaces_kandev.")]


class AgentProfile(Answer):
    """`model` is null for the agent's own choice."""

    id: str
    name: str
    agent: str
    model: str | None

    @classmethod
    def of(cls, profile: Profile, choice: AgentChoice) -> "AgentProfile":
        return cls(id=profile.id, name=profile.name, agent=choice.agent, model=choice.model)


class AgentProfiles(Answer):
    """`next_after` is null on the last page."""

    agent_profiles: list[AgentProfile]
    next_after: str | None


class ExecutorProfile(Answer):
    id: str
    name: str
    executor: ExecutorType

    @classmethod
    def of(cls, profile: Profile, choice: ExecutorChoice) -> "ExecutorProfile":
        return cls(id=profile.id, name=profile.name, executor=choice.executor)


class ExecutorProfiles(Answer):
    """`next_after` is null on the last page."""

    executor_profiles: list[ExecutorProfile]
    next_after: str | None
