"""Delete a task with its sessions and all that hangs on them."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound, acts_for_a_person
from domain.identity import TaskId
from domain.ledger import Why
from domain.outcome import Failure, Result, failed
from domain.principal import Principal
from pipelines.end_sessions import end_sessions, stop_instances
from ports.clock import Clock
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Store

__all__ = ("DeleteTask", "DeleteTaskProblem")

DeleteTaskProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class DeleteTask:
    store: Store
    runtime: Runtime
    clock: Clock

    async def __call__(self, principal: Principal, task: TaskId) -> Result[None, DeleteTaskProblem]:
        """Delete it, with its leases in the same write; then its agents are ended.

        The ledger keeps what was done for it. Its worktree and branches stay on the disk.
        """
        async with self.store.write() as unit:
            found = await unit.task(task)
            if found is None or not acts_for_a_person(principal):
                return Failure(NotFound("task"))
            running = await end_sessions(unit, task, self.clock.now(), Why.TASK_DELETED)
            await unit.remove_task(task)
        stopped = await stop_instances(self.runtime, running)
        if not failed(stopped):
            for handle in running:
                await self.runtime.release(handle)
        return stopped
