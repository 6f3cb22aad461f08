"""Restore an archived task: its worktrees as they were kept, and the task open again."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound
from domain.identity import TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.task import Task, TaskState
from pipelines.authority import task_for
from pipelines.task_worktrees import worktrees_of
from ports.git import ClosedGit
from ports.runtime import Kept, Runtime, RuntimeProblem
from ports.store import Store

__all__ = ("RestoreTask", "RestoreTaskProblem", "Restored")

RestoreTaskProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class Restored:
    task: Task
    worktrees: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class RestoreTask:
    store: Store
    runtime: Runtime
    git: ClosedGit
    tasks_root: str

    async def __call__(
        self, principal: Principal, task: TaskId
    ) -> Result[Restored, RestoreTaskProblem]:
        """Bring it back; a worktree that is there is left as it is. Opens the task last."""
        async with self.store.read() as state:
            found = await task_for(state, principal, task)
            if found is None:
                return Failure(NotFound("task"))
            worktrees = await worktrees_of(state, self.git, self.tasks_root, found)
        kept: tuple[Kept, ...] = ()
        if worktrees is not None:
            restored = await self.runtime.restore_workspace(worktrees)
            if failed(restored):
                return restored
            kept = tuple(restored.unwrap())
        async with self.store.write() as unit:
            current = await unit.task(task)
            if current is None:
                return Failure(NotFound("task"))
            opened = replace(current, state=TaskState.OPEN)
            await unit.put_task(opened)
        return Success(Restored(opened, kept))
