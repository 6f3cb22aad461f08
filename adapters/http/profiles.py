"""Routes of profiles: what is chosen once for every agent that is launched with it."""

from typing import Annotated

from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from adapters.http.profile_bodies import (
    AgentProfileBody,
    AgentProfileUpdate,
    ExecutorProfileBody,
    ExecutorProfileUpdate,
    NewAgentProfile,
    NewExecutorProfile,
)
from domain.identity import ProfileId, WorkspaceId
from domain.principal import Principal
from domain.profile import ProfileKind
from pipelines.session_profiles import Named

__all__ = ("AgentProfiles", "ExecutorProfiles", "named")

PAGE = 100
"""Rows of a list at most; `after` continues behind the last id."""

Limit = Annotated[int, QueryParameter(ge=1, le=PAGE)]


class AgentProfiles(Controller):
    path = "/api/v1/agent-profiles"
    tags = ("profiles",)

    @post()
    async def create(
        self,
        data: JSONBody[NewAgentProfile],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> AgentProfileBody:
        """Which agent, and how it works; a secret is sealed before it is stored."""
        workspace = WorkspaceId(data.workspace_id)
        created = await api.profiles.create(principal, workspace, data.wanted())
        return AgentProfileBody.of_profile(accepted(created))

    @get()
    async def list_all(
        self,
        workspace_id: FromQuery[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Limit = PAGE,
    ) -> list[AgentProfileBody]:
        workspace = WorkspaceId(workspace_id)
        page = await api.profiles.page(principal, workspace, ProfileKind.AGENT, after, limit)
        return [AgentProfileBody.of_profile(each) for each in accepted(page)]

    @get("/{profile_id:str}")
    async def show(
        self,
        profile_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> AgentProfileBody:
        found = await api.profiles.read(principal, ProfileKind.AGENT, ProfileId(profile_id))
        return AgentProfileBody.of_profile(accepted(found))

    @put("/{profile_id:str}")
    async def update(
        self,
        profile_id: FromPath[str],
        data: JSONBody[AgentProfileUpdate],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> AgentProfileBody:
        """Sessions see the change at their next start."""
        changed = await api.profiles.update(
            principal, ProfileId(profile_id), data.version, data.wanted()
        )
        return AgentProfileBody.of_profile(accepted(changed))

    @delete("/{profile_id:str}")
    async def remove(
        self,
        profile_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        """A session that has it needs another one for its next start."""
        accepted(await api.profiles.remove(principal, ProfileKind.AGENT, ProfileId(profile_id)))


class ExecutorProfiles(Controller):
    path = "/api/v1/executor-profiles"
    tags = ("profiles",)

    @post()
    async def create(
        self,
        data: JSONBody[NewExecutorProfile],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ExecutorProfileBody:
        """Where agents run, and with which variables."""
        workspace = WorkspaceId(data.workspace_id)
        created = await api.profiles.create(principal, workspace, data.wanted())
        return ExecutorProfileBody.of_profile(accepted(created))

    @get()
    async def list_all(
        self,
        workspace_id: FromQuery[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Limit = PAGE,
    ) -> list[ExecutorProfileBody]:
        workspace = WorkspaceId(workspace_id)
        page = await api.profiles.page(principal, workspace, ProfileKind.EXECUTOR, after, limit)
        return [ExecutorProfileBody.of_profile(each) for each in accepted(page)]

    @get("/{profile_id:str}")
    async def show(
        self,
        profile_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ExecutorProfileBody:
        found = await api.profiles.read(principal, ProfileKind.EXECUTOR, ProfileId(profile_id))
        return ExecutorProfileBody.of_profile(accepted(found))

    @put("/{profile_id:str}")
    async def update(
        self,
        profile_id: FromPath[str],
        data: JSONBody[ExecutorProfileUpdate],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ExecutorProfileBody:
        """Sessions see the change at their next start."""
        changed = await api.profiles.update(
            principal, ProfileId(profile_id), data.version, data.wanted()
        )
        return ExecutorProfileBody.of_profile(accepted(changed))

    @delete("/{profile_id:str}")
    async def remove(
        self,
        profile_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        """A session that has it needs another one for its next start."""
        accepted(await api.profiles.remove(principal, ProfileKind.EXECUTOR, ProfileId(profile_id)))


def named(agent: str | None, executor: str | None) -> Named:
    """The profiles that a client names for a start."""
    return Named(
        None if agent is None else ProfileId(agent),
        None if executor is None else ProfileId(executor),
    )
