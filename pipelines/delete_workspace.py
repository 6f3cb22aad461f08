"""Delete a workspace: what works in it, its worktrees, then its tasks and all that it has."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from domain.access import NotFound, OwnerOnly
from domain.audit import Deed
from domain.execution import Handle
from domain.identity import TaskId, WorkspaceId
from domain.ledger import Why
from domain.outcome import Failure, Result, failed
from domain.principal import Principal
from domain.task import Task, TaskState
from pipelines.audited import audited
from pipelines.authority import governed
from pipelines.end_sessions import end_sessions, stop_instances
from pipelines.task_cleanup import CleanupPlan
from pipelines.task_worktrees import remove_worktrees, worktrees_of
from ports.clock import Clock
from ports.git import ClosedGit
from ports.runtime import Runtime, RuntimeProblem, Worktrees
from ports.store import Reader, Store, Writer

__all__ = ("DeleteWorkspace", "DeleteWorkspaceProblem")

PAGE: Final = 100
"""Tasks looked up at once."""

DeleteWorkspaceProblem: TypeAlias = NotFound | OwnerOnly | RuntimeProblem


@dataclass(frozen=True, slots=True)
class DeleteWorkspace:
    store: Store
    runtime: Runtime
    clock: Clock
    git: ClosedGit
    cleanup: CleanupPlan
    tasks_root: str

    async def __call__(
        self, principal: Principal, workspace: WorkspaceId
    ) -> Result[None, DeleteWorkspaceProblem]:
        """End its leases and agents, remove its worktrees with their work kept, then delete it.

        Where a step is refused the workspace stays, its tasks with worktrees archived, and asking
        again takes it up there. Clones stay on the disk.
        """
        running: list[Handle] = []
        made: list[Worktrees] = []
        async with self.store.write() as unit:
            found = await governed(unit, principal, workspace)
            if failed(found):
                return Failure(found.failure())
            async for task in _tasks(unit, workspace):
                running += await self._end(unit, task.id)
                made += await self._retire(unit, task)
        stopped = await self._clear(running, made)
        if failed(stopped):
            return stopped
        async with self.store.write() as unit:
            late = [
                handle
                async for task in _tasks(unit, workspace)
                for handle in await self._remove(unit, task.id)
                if handle not in running
            ]
            await unit.remove_workspace(workspace)
            at = self.clock.now()
            await audited(
                unit, at, Deed.WORKSPACE_DELETED, principal, workspace, workspace=workspace
            )
        stopped = await stop_instances(self.runtime, late)
        if not failed(stopped):
            for handle in (*running, *late):
                await self.runtime.release(handle)
        return stopped

    async def _end(self, unit: Writer, task: TaskId) -> list[Handle]:
        return list(await end_sessions(unit, task, self.clock.now(), Why.WORKSPACE_DELETED))

    async def _retire(self, unit: Writer, task: Task) -> list[Worktrees]:
        """Archive a task that has worktrees, so that no agent starts in them any more."""
        there = await worktrees_of(unit, self.git, self.tasks_root, task)
        if there is None:
            return []
        await unit.put_task(replace(task, state=TaskState.ARCHIVED))
        cleaned = await self.cleanup(unit, task, there)
        return [] if cleaned is None else [cleaned]

    async def _clear(
        self, running: list[Handle], made: list[Worktrees]
    ) -> Result[None, RuntimeProblem]:
        """End the agents, then remove the worktrees, up to the first problem."""
        done = await stop_instances(self.runtime, running)
        for worktrees in made:
            if failed(done):
                break
            done = await remove_worktrees(self.runtime, worktrees)
        return done

    async def _remove(self, unit: Writer, task: TaskId) -> list[Handle]:
        """An agent that started meanwhile is ended like the others."""
        late = await self._end(unit, task)
        await unit.remove_task(task)
        return late


async def _tasks(state: Reader, workspace: WorkspaceId) -> AsyncIterator[Task]:
    """All of them, also while those that came are changed or removed."""
    after: str | None = None
    while page := await state.tasks(workspace, after, PAGE):
        for task in page:
            yield task
        after = page[-1].id
