"""Detach a repository from a task: what works on the task ends, and its worktree goes with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import Act, NotFound
from domain.execution import Handle
from domain.identity import RepositoryId, TaskId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import LIVE
from domain.task import Task
from pipelines.authority import permitted
from pipelines.create_task import NoRepository
from pipelines.end_sessions import end_sessions, stop_instances
from pipelines.launch_session import TaskBusy
from pipelines.task_cleanup import CleanupPlan
from pipelines.task_worktrees import only, remove_worktrees, worktrees_of
from ports.clock import Clock
from ports.git import ClosedGit
from ports.runtime import Runtime, RuntimeProblem, Worktrees
from ports.store import Reader, Store

__all__ = ("DetachProblem", "DetachRepository")

DetachProblem: TypeAlias = NotFound | NoRepository | TaskBusy | RuntimeProblem


@dataclass(frozen=True, slots=True)
class DetachRepository:
    store: Store
    runtime: Runtime
    clock: Clock
    git: ClosedGit
    cleanup: CleanupPlan
    tasks_root: str

    async def __call__(
        self, principal: Principal, task: TaskId, repository: RepositoryId
    ) -> Result[Task, DetachProblem]:
        """The task without it; the last repository stays.

        Its sessions end first, and can be resumed without it; then the worktree is removed, its
        work kept. Where a step is refused the repository stays, and asking again takes it up there.
        """
        ended = await self._end(principal, task, repository)
        if failed(ended):
            return ended
        running, worktrees = ended.unwrap()
        stopped = await stop_instances(self.runtime, running)
        if failed(stopped):
            return stopped
        removed = await remove_worktrees(self.runtime, worktrees)
        return removed if failed(removed) else await self._leave(principal, task, repository)

    async def _end(
        self, principal: Principal, task: TaskId, repository: RepositoryId
    ) -> Result[tuple[Sequence[Handle], Worktrees | None], DetachProblem]:
        """What is to be stopped, and the worktree that is to be removed."""
        async with self.store.write() as unit:
            asked = await _without(unit, principal, task, repository)
            if failed(asked):
                return asked
            found = await unit.task(task)
            if found is None:
                return Failure(NotFound("task"))
            running = await end_sessions(unit, task, self.clock.now(), Why.REPOSITORY_DETACHED)
            there = await worktrees_of(unit, self.git, self.tasks_root, found)
            leaving = None if there is None else only(there, repository)
            return Success((running, await self.cleanup(unit, found, leaving)))

    async def _leave(
        self, principal: Principal, task: TaskId, repository: RepositoryId
    ) -> Result[Task, DetachProblem]:
        """Take it from the task, unless a session began meanwhile: that one has it again."""
        async with self.store.write() as unit:
            detached = await _without(unit, principal, task, repository)
            if failed(detached):
                return detached
            for session in await unit.sessions(task):
                if session.state in LIVE:
                    return Failure(TaskBusy(session.id))
            await unit.put_task(detached.unwrap())
        return detached


async def _without(
    state: Reader, principal: Principal, task: TaskId, repository: RepositoryId
) -> Result[Task, NotFound | NoRepository]:
    """The task as it is when the repository has left."""
    found = await state.task(task)
    if found is None or not await permitted(state, principal, found, Act.CONTROL):
        return Failure(NotFound("task"))
    kept = tuple(each for each in found.repositories if each.repository != repository)
    if len(kept) == len(found.repositories):
        return Failure(NotFound("repository"))
    return Success(replace(found, repositories=kept)) if kept else Failure(NoRepository())
