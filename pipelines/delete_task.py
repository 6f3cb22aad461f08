"""Delete a task with its sessions and all that hangs on them."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound
from domain.identity import TaskId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.task import TaskState
from pipelines.authority import task_for
from pipelines.end_sessions import end_sessions, stop_instances
from pipelines.task_cleanup import CleanupPlan
from pipelines.task_worktrees import remove_worktrees, worktrees_of
from ports.clock import Clock
from ports.git import ClosedGit
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Store

__all__ = ("DeleteTask", "DeleteTaskProblem")

DeleteTaskProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class DeleteTask:
    store: Store
    runtime: Runtime
    clock: Clock
    git: ClosedGit
    cleanup: CleanupPlan
    tasks_root: str

    async def __call__(self, principal: Principal, task: TaskId) -> Result[None, DeleteTaskProblem]:
        """End its leases and agents, remove its worktrees with their work kept, then delete it.

        Where a step is refused the task is archived, and asking again takes it up there. The ledger
        keeps what was done for it; branches and what was kept stay.
        """
        async with self.store.write() as unit:
            found = await task_for(unit, principal, task)
            if found is None:
                return Failure(NotFound("task"))
            running = await end_sessions(unit, task, self.clock.now(), Why.TASK_DELETED)
            await unit.put_task(replace(found, state=TaskState.ARCHIVED))
            there = await worktrees_of(unit, self.git, self.tasks_root, found)
            worktrees = await self.cleanup(unit, found, there)
        stopped = await stop_instances(self.runtime, running)
        if failed(stopped):
            return stopped
        removed = await remove_worktrees(self.runtime, worktrees)
        if failed(removed):
            return removed
        async with self.store.write() as unit:
            await unit.remove_task(task)
        for handle in running:
            await self.runtime.release(handle)
        return Success(None)
