"""Archive a task: nothing starts on it any more, and what works on it ends."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound, acts_for_a_person
from domain.identity import TaskId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.task import Task, TaskState
from pipelines.end_sessions import end_sessions, stop_instances
from ports.clock import Clock
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Store

__all__ = ("ArchiveTask", "ArchiveTaskProblem")

ArchiveTaskProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class ArchiveTask:
    store: Store
    runtime: Runtime
    clock: Clock

    async def __call__(
        self, principal: Principal, task: TaskId
    ) -> Result[Task, ArchiveTaskProblem]:
        """Archive it; its leases end with the same write. Its worktree and branches stay."""
        async with self.store.write() as unit:
            found = await unit.task(task)
            if found is None or not acts_for_a_person(principal):
                return Failure(NotFound("task"))
            archived = replace(found, state=TaskState.ARCHIVED)
            running = await end_sessions(unit, task, self.clock.now(), Why.TASK_ARCHIVED)
            await unit.put_task(archived)
        stopped = await stop_instances(self.runtime, running)
        return stopped if failed(stopped) else Success(archived)
