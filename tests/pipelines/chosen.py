"""Profiles and variables as a test wants them stored."""

from collections.abc import Mapping

from domain.execution import ExecutorType
from domain.identity import RepositoryId, WorkspaceId
from domain.profile import AgentChoice, ExecutorChoice, Profile, WantedProfile
from domain.secret import Secret
from domain.stored_environment import ChosenEnvironment
from pipelines.session_profiles import Named
from tests.pipelines.plane import OWNER, Plane

__all__ = ("agent_profile", "chosen", "executor_profile", "named", "repository_has")


def chosen(
    literals: Mapping[str, str] | None = None, secrets: Mapping[str, str | None] | None = None
) -> ChosenEnvironment:
    sealed = {name: Secret(value) if value else None for name, value in (secrets or {}).items()}
    return ChosenEnvironment(literals or {}, sealed)


async def agent_profile(
    plane: Plane,
    workspace: WorkspaceId,
    environment: ChosenEnvironment,
    choice: AgentChoice | None = None,
) -> Profile:
    wanted = WantedProfile("Fast", choice or AgentChoice("demo"), environment)
    return (await plane.api.profiles.create(OWNER, workspace, wanted)).unwrap()


async def executor_profile(
    plane: Plane,
    workspace: WorkspaceId,
    environment: ChosenEnvironment,
    executor: ExecutorType = ExecutorType.WORKTREE,
) -> Profile:
    wanted = WantedProfile("Here", ExecutorChoice(executor), environment)
    return (await plane.api.profiles.create(OWNER, workspace, wanted)).unwrap()


async def repository_has(
    plane: Plane, repository: RepositoryId, environment: ChosenEnvironment
) -> None:
    (await plane.api.repository_environment(OWNER, repository, environment)).unwrap()


def named(agent: Profile | None = None, executor: Profile | None = None) -> Named:
    return Named(agent.id if agent else None, executor.id if executor else None)
