"""The tools that list profiles, to name them where an agent is started."""

from collections.abc import Sequence

from adapters.mcp.backend import Backend
from adapters.mcp.problems import ToolProblem
from adapters.mcp.profile_shapes import (
    AgentProfile,
    AgentProfiles,
    ExecutorProfile,
    ExecutorProfiles,
    ListProfiles,
)
from adapters.mcp.reading import following, workspace_of
from domain.access import NotFound
from domain.outcome import Result, Success, failed
from domain.principal import Principal
from domain.profile import AgentChoice, ExecutorChoice, Profile, ProfileKind

__all__ = ("agent_profiles", "executor_profiles")


async def agent_profiles(
    backend: Backend, principal: Principal, asked: ListProfiles
) -> Result[AgentProfiles, ToolProblem]:
    page = await profiles(backend, principal, asked, ProfileKind.AGENT)
    if failed(page):
        return page
    found = page.unwrap()
    shown = [
        AgentProfile.of(each, each.choice) for each in found if isinstance(each.choice, AgentChoice)
    ]
    return Success(AgentProfiles(agent_profiles=shown, next_after=following(found, asked.limit)))


async def executor_profiles(
    backend: Backend, principal: Principal, asked: ListProfiles
) -> Result[ExecutorProfiles, ToolProblem]:
    page = await profiles(backend, principal, asked, ProfileKind.EXECUTOR)
    if failed(page):
        return page
    found = page.unwrap()
    shown = [
        ExecutorProfile.of(each, each.choice)
        for each in found
        if isinstance(each.choice, ExecutorChoice)
    ]
    return Success(
        ExecutorProfiles(executor_profiles=shown, next_after=following(found, asked.limit))
    )


async def profiles(
    backend: Backend, principal: Principal, asked: ListProfiles, kind: ProfileKind
) -> Result[Sequence[Profile], NotFound]:
    """A page of those of a workspace that the principal sees."""
    async with backend.store.read() as state:
        workspace = await workspace_of(state, principal, asked.workspace_id)
        if failed(workspace):
            return workspace
        return Success(await state.profiles(workspace.unwrap().id, kind, asked.after, asked.limit))
