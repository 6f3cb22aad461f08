"""Delete a workspace: its tasks one by one, then its connections, secrets and repositories."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.access import NotFound, acts_for_a_person
from domain.execution import Handle
from domain.identity import WorkspaceId
from domain.ledger import Why
from domain.outcome import Failure, Result, failed
from domain.principal import Principal
from pipelines.end_sessions import end_sessions, stop_instances
from ports.clock import Clock
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Store, Writer

__all__ = ("DeleteWorkspace", "DeleteWorkspaceProblem")

PAGE: Final = 100
"""Tasks looked up at once."""

DeleteWorkspaceProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class DeleteWorkspace:
    store: Store
    runtime: Runtime
    clock: Clock

    async def __call__(
        self, principal: Principal, workspace: WorkspaceId
    ) -> Result[None, DeleteWorkspaceProblem]:
        """Delete it in one write, leases included; then its agents are ended.

        Clones and worktrees stay on the disk.
        """
        async with self.store.write() as unit:
            found = await unit.workspace(workspace)
            if found is None or not acts_for_a_person(principal):
                return Failure(NotFound("workspace"))
            running = await self._remove_tasks(unit, workspace)
            await unit.remove_workspace(workspace)
        stopped = await stop_instances(self.runtime, running)
        if not failed(stopped):
            for handle in running:
                await self.runtime.release(handle)
        return stopped

    async def _remove_tasks(self, unit: Writer, workspace: WorkspaceId) -> list[Handle]:
        at = self.clock.now()
        running: list[Handle] = []
        while page := await unit.tasks(workspace, None, PAGE):
            for task in page:
                running += await end_sessions(unit, task.id, at, Why.WORKSPACE_DELETED)
                await unit.remove_task(task.id)
        return running
