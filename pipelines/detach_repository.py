"""Detach a repository from a task: its leases end with the same write."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound
from domain.identity import RepositoryId, TaskId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success
from domain.principal import Principal
from domain.task import Task
from pipelines.authority import task_for
from pipelines.create_task import NoRepository
from pipelines.end_leases import end_leases
from ports.clock import Clock
from ports.store import Store

__all__ = ("DetachProblem", "DetachRepository")

DetachProblem: TypeAlias = NotFound | NoRepository


@dataclass(frozen=True, slots=True)
class DetachRepository:
    store: Store
    clock: Clock

    async def __call__(
        self, principal: Principal, task: TaskId, repository: RepositoryId
    ) -> Result[Task, DetachProblem]:
        """The task without it; the last repository stays. Its worktree stays on the disk."""
        async with self.store.write() as unit:
            found = await task_for(unit, principal, task)
            if found is None:
                return Failure(NotFound("task"))
            kept = tuple(each for each in found.repositories if each.repository != repository)
            if len(kept) == len(found.repositories):
                return Failure(NotFound("repository"))
            if not kept:
                return Failure(NoRepository())
            at = self.clock.now()
            await end_leases(unit, at, Why.REPOSITORY_DETACHED, task=task, repository=repository)
            detached = replace(found, repositories=kept)
            await unit.put_task(detached)
        return Success(detached)
