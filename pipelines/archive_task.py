"""Archive a task: nothing starts on it any more, and what works on it ends."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import Act, NotFound
from domain.identity import TaskId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.task import Task, TaskState
from pipelines.authority import permitted
from pipelines.end_sessions import end_sessions, stop_instances
from pipelines.task_cleanup import CleanupPlan
from pipelines.task_worktrees import remove_worktrees, worktrees_of
from ports.clock import Clock
from ports.git import ClosedGit
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Store

__all__ = ("ArchiveTask", "ArchiveTaskProblem")

ArchiveTaskProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class ArchiveTask:
    store: Store
    runtime: Runtime
    clock: Clock
    git: ClosedGit
    cleanup: CleanupPlan
    tasks_root: str

    async def __call__(
        self, principal: Principal, task: TaskId
    ) -> Result[Task, ArchiveTaskProblem]:
        """Archive it; its leases end with the same write, then its agents, then its worktrees.

        Cleanup scripts run first, and work is kept in a ref. Where a step is refused, asking again
        takes it up there.
        """
        async with self.store.write() as unit:
            found = await unit.task(task)
            if found is None or not await permitted(unit, principal, found, Act.CONTROL):
                return Failure(NotFound("task"))
            archived = replace(found, state=TaskState.ARCHIVED)
            running = await end_sessions(unit, task, self.clock.now(), Why.TASK_ARCHIVED)
            await unit.put_task(archived)
            there = await worktrees_of(unit, self.git, self.tasks_root, found)
            worktrees = await self.cleanup(unit, found, there)
        stopped = await stop_instances(self.runtime, running)
        if failed(stopped):
            return stopped
        removed = await remove_worktrees(self.runtime, worktrees)
        return removed if failed(removed) else Success(archived)
