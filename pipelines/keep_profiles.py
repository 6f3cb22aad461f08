"""Profiles of a workspace: make, read, list, change and remove them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from domain import profile as rules
from domain.access import NotFound
from domain.agent import UnknownAgent, find
from domain.identity import ProfileId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.profile import (
    AgentChoice,
    Profile,
    ProfileKind,
    UnstorableProfile,
    WantedProfile,
)
from domain.stored_environment import StoredEnvironment
from pipelines.authority import holds
from pipelines.environment_secrets import EnvironmentSecrets, layer_of_profile
from ports.agents import Agents
from ports.clock import Clock
from ports.ids import Ids
from ports.store import Reader, Store

__all__ = ("KeepProfiles", "NameTaken", "ProfileChanged", "ProfileProblem", "absent")


@dataclass(frozen=True, slots=True)
class NameTaken:
    """Another profile of the kind has the name in this workspace."""

    name: str


@dataclass(frozen=True, slots=True)
class ProfileChanged:
    """Somebody stored another version meanwhile; `version` is what is stored now."""

    version: int


ProfileProblem: TypeAlias = NotFound | UnstorableProfile | UnknownAgent | NameTaken | ProfileChanged


def absent(kind: ProfileKind) -> NotFound:
    return NotFound(f"{kind.value}_profile")


@dataclass(frozen=True, slots=True)
class KeepProfiles:
    """A profile of another kind is one that is not there."""

    store: Store
    agents: Agents
    secrets: EnvironmentSecrets
    clock: Clock
    ids: Ids

    async def create(
        self, principal: Principal, workspace: WorkspaceId, wanted: WantedProfile
    ) -> Result[Profile, ProfileProblem]:
        """Store a new profile; a secret without a value is one to give later."""
        async with self.store.read() as state:
            if not await holds(state, principal, workspace):
                return Failure(NotFound("workspace"))
        checked = self._check(wanted)
        if failed(checked):
            return checked
        asked = checked.unwrap()
        bare = Profile(
            id=ProfileId(self.ids.new("pro")),
            workspace=workspace,
            name=asked.name,
            choice=asked.choice,
            environment=StoredEnvironment(),
            created_at=self.clock.now(),
        )
        profile = self._sealed(bare, asked)
        async with self.store.write() as unit:
            if await unit.workspace(workspace) is None:
                return Failure(NotFound("workspace"))
            if await _taken(unit, profile):
                return Failure(NameTaken(profile.name))
            await unit.add_profile(profile)
        return Success(profile)

    async def read(
        self, principal: Principal, kind: ProfileKind, profile: ProfileId
    ) -> Result[Profile, NotFound]:
        async with self.store.read() as state:
            found = await _known(state, principal, kind, profile)
        if found is None:
            return Failure(absent(kind))
        return Success(found)

    async def page(
        self,
        principal: Principal,
        workspace: WorkspaceId,
        kind: ProfileKind,
        after: str | None,
        limit: int,
    ) -> Result[Sequence[Profile], NotFound]:
        """By id, strictly after `after`."""
        async with self.store.read() as state:
            if not await holds(state, principal, workspace):
                return Failure(NotFound("workspace"))
            return Success(await state.profiles(workspace, kind, after, limit))

    async def update(
        self, principal: Principal, profile: ProfileId, version: int, wanted: WantedProfile
    ) -> Result[Profile, ProfileProblem]:
        """Put it in the place of `version`; a secret without a value keeps the one it has.

        Sessions see it at their next start.
        """
        checked = self._check(wanted)
        if failed(checked):
            return checked
        asked = checked.unwrap()
        async with self.store.write() as unit:
            known = await _known(unit, principal, asked.kind, profile)
            if known is None:
                return Failure(absent(asked.kind))
            if known.version != version:
                return Failure(ProfileChanged(known.version))
            changed = self._sealed(replace(known, name=asked.name, choice=asked.choice), asked)
            if await _taken(unit, changed):
                return Failure(NameTaken(changed.name))
            await unit.save_profile(changed)
        return Success(replace(changed, version=changed.version + 1))

    async def remove(
        self, principal: Principal, kind: ProfileKind, profile: ProfileId
    ) -> Result[None, NotFound]:
        """Remove it with its secrets. A session that has it needs another for its next start."""
        async with self.store.write() as unit:
            if await _known(unit, principal, kind, profile) is None:
                return Failure(absent(kind))
            await unit.remove_profile(profile)
        return Success(None)

    def _check(
        self, wanted: WantedProfile
    ) -> Result[WantedProfile, UnstorableProfile | UnknownAgent]:
        if isinstance(wanted.choice, AgentChoice):
            agents = [each.agent for each in self.agents.all()]
            agent = find(wanted.choice.agent, agents)
            if failed(agent):
                return agent
        return rules.check(wanted)

    def _sealed(self, profile: Profile, wanted: WantedProfile) -> Profile:
        owner = layer_of_profile(profile)
        environment = self.secrets.seal(owner, wanted.environment, profile.environment)
        return replace(profile, environment=environment)


async def _known(
    state: Reader, principal: Principal, kind: ProfileKind, profile: ProfileId
) -> Profile | None:
    found = await state.profile(profile)
    if found is None or found.kind is not kind:
        return None
    return found if await holds(state, principal, found.workspace) else None


async def _taken(state: Reader, profile: Profile) -> bool:
    other = await state.profile_named(profile.workspace, profile.kind, profile.name)
    return other is not None and other.id != profile.id
