"""The policy of a workspace for the git of its tasks: read, change, copy.

What is read joins the policy with a description of the connections; no secret is opened for it.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound, OwnerOnly
from domain.audit import Deed
from domain.credential_policy import PolicyDescription, describe_policy
from domain.identity import WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.workspace import UnknownMode, Workspace, parse_mode
from pipelines.audited import audited
from pipelines.authority import governed, workspace_for
from ports.clock import Clock
from ports.store import Reader, Store, Writer

__all__ = ("SameWorkspace", "SettingsProblem", "WorkspaceSettings")


@dataclass(frozen=True, slots=True)
class SameWorkspace:
    """A workspace's settings cannot be copied onto itself."""


SettingsProblem: TypeAlias = NotFound | OwnerOnly | UnknownMode | SameWorkspace


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    store: Store
    clock: Clock

    async def read(
        self, principal: Principal, workspace: WorkspaceId
    ) -> Result[PolicyDescription, SettingsProblem]:
        async with self.store.read() as state:
            found = await workspace_for(state, principal, workspace)
            if found is None:
                return Failure(NotFound("workspace"))
            return Success(await described(state, found))

    async def update(
        self,
        principal: Principal,
        workspace: WorkspaceId,
        mode: str | None,
        accepts_netrc: bool | None = None,
    ) -> Result[PolicyDescription, SettingsProblem]:
        """Change what holds for later launches and resumes; None leaves it, unknown is refused."""
        parsed = parse_mode(mode) if mode is not None else None
        if parsed is not None and failed(parsed):
            return parsed
        async with self.store.write() as unit:
            owned = await governed(unit, principal, workspace)
            if failed(owned):
                return Failure(owned.failure())
            found = owned.unwrap()
            changed = replace(
                found,
                mode=found.mode if parsed is None else parsed.unwrap(),
                accepts_netrc=found.accepts_netrc if accepts_netrc is None else accepts_netrc,
            )
            if changed != found:
                await unit.put_workspace(changed)
                await self._told(unit, principal, changed)
            return Success(await described(unit, changed))

    async def copy(
        self, principal: Principal, source: WorkspaceId, target: WorkspaceId
    ) -> Result[PolicyDescription, SettingsProblem]:
        """Give the target the source's policy, and neither a connection nor a secret."""
        if source == target:
            return Failure(SameWorkspace())
        async with self.store.write() as unit:
            origin = await workspace_for(unit, principal, source)
            if origin is None:
                return Failure(NotFound("workspace"))
            found = await governed(unit, principal, target)
            if failed(found):
                return Failure(found.failure())
            copied = replace(found.unwrap(), mode=origin.mode, accepts_netrc=origin.accepts_netrc)
            await unit.put_workspace(copied)
            await self._told(unit, principal, copied)
            return Success(await described(unit, copied))

    async def _told(self, unit: Writer, principal: Principal, workspace: Workspace) -> None:
        netrc = ", netrc accepted" if workspace.accepts_netrc else ""
        await audited(
            unit,
            self.clock.now(),
            Deed.POLICY_CHANGED,
            principal,
            workspace.id,
            workspace=workspace.id,
            detail=workspace.mode.value + netrc,
        )


async def described(state: Reader, workspace: Workspace) -> PolicyDescription:
    connections = await state.connections(workspace.id)
    return describe_policy(workspace.mode, connections, accepts_netrc=workspace.accepts_netrc)
