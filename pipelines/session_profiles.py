"""The profiles of a start: those that the session names, as they are stored now."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.identity import ProfileId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.profile import AgentChoice, ExecutorChoice, Profile, ProfileKind
from pipelines.keep_profiles import absent
from ports.store import Reader

__all__ = ("Named", "OtherAgent", "Profiles", "ProfilesProblem", "find_profiles")


@dataclass(frozen=True, slots=True)
class Named:
    """The profiles that are asked for; None is no profile."""

    agent: ProfileId | None = None
    executor: ProfileId | None = None


@dataclass(frozen=True, slots=True)
class OtherAgent:
    """The agent profile is for `agent`, and the session is another's."""

    profile: str
    agent: str


@dataclass(frozen=True, slots=True)
class Profiles:
    agent: Profile | None = None
    executor: Profile | None = None

    @property
    def agent_choice(self) -> AgentChoice | None:
        choice = self.agent.choice if self.agent else None
        return choice if isinstance(choice, AgentChoice) else None

    @property
    def executor_choice(self) -> ExecutorChoice | None:
        choice = self.executor.choice if self.executor else None
        return choice if isinstance(choice, ExecutorChoice) else None


ProfilesProblem: TypeAlias = NotFound | OtherAgent


async def find_profiles(
    state: Reader, workspace: WorkspaceId, named: Named, agent: str | None
) -> Result[Profiles, ProfilesProblem]:
    """Both, of this workspace. `agent` is the one that works; None is the one of the profile."""
    ours = await _find(state, workspace, ProfileKind.AGENT, named.agent)
    if failed(ours):
        return ours
    where = await _find(state, workspace, ProfileKind.EXECUTOR, named.executor)
    if failed(where):
        return where
    found = Profiles(ours.unwrap(), where.unwrap())
    choice = found.agent_choice
    if found.agent and choice and agent is not None and choice.agent != agent:
        return Failure(OtherAgent(found.agent.name, choice.agent))
    return Success(found)


async def _find(
    state: Reader, workspace: WorkspaceId, kind: ProfileKind, profile: ProfileId | None
) -> Result[Profile | None, NotFound]:
    if profile is None:
        return Success(None)
    found = await state.profile(profile)
    if found is None or found.workspace != workspace or found.kind is not kind:
        return Failure(absent(kind))
    return Success(found)
