"""Register a workspace: a name, and the policy for the git of its tasks."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound, founder
from domain.audit import Deed
from domain.credential_policy import Mode
from domain.identity import WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.workspace import InvalidName, UnknownMode, Workspace, check_name, parse_mode
from pipelines.audited import audited
from ports.clock import Clock
from ports.ids import Ids
from ports.store import Store

__all__ = ("RegisterWorkspace", "RegisterWorkspaceProblem")

RegisterWorkspaceProblem: TypeAlias = NotFound | InvalidName | UnknownMode


@dataclass(frozen=True, slots=True)
class RegisterWorkspace:
    store: Store
    clock: Clock
    ids: Ids

    async def __call__(
        self, principal: Principal, name: str, mode: str | None
    ) -> Result[Workspace, RegisterWorkspaceProblem]:
        """Store a new workspace of the user who asks; `managed` unless another policy is named."""
        owner = founder(principal)
        if owner is None:
            return Failure(NotFound("workspace"))
        checked = check_name(name)
        if failed(checked):
            return checked
        policy = parse_mode(mode) if mode is not None else Success(Mode.MANAGED)
        if failed(policy):
            return policy
        workspace = Workspace(
            WorkspaceId(self.ids.new("ws")),
            owner,
            checked.unwrap(),
            policy.unwrap(),
            self.clock.now(),
        )
        async with self.store.write() as unit:
            await unit.put_workspace(workspace)
            key, at = workspace.id, workspace.created_at
            await audited(unit, at, Deed.WORKSPACE_MADE, principal, key, workspace=key)
        return Success(workspace)
