"""Keep the plan of a task: write it, change it, take it away."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import Act, NotFound
from domain.identity import TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.task_plan import InvalidPlan, TaskPlan, check_plan
from domain.workspace import InvalidName, check_name
from pipelines.authority import permitted_by_id
from ports.clock import Clock
from ports.store import Store

__all__ = ("KeepPlan", "PlanExists", "PlanProblem")


@dataclass(frozen=True, slots=True)
class PlanExists:
    """The task has a plan already."""


PlanProblem: TypeAlias = NotFound | InvalidPlan | InvalidName | PlanExists


@dataclass(frozen=True, slots=True)
class KeepPlan:
    store: Store
    clock: Clock

    async def write(
        self,
        principal: Principal,
        task: TaskId,
        title: str | None,
        content: str,
        *,
        anew: bool,
    ) -> Result[TaskPlan, PlanProblem]:
        """Write the plan: the first one when `anew`, else in place of the one that is there.

        A title that is None is the task's own at first, and stays then.
        """
        checked = check_plan(content)
        if failed(checked):
            return checked
        named = check_name(title) if title is not None else None
        if named is not None and failed(named):
            return named
        async with self.store.write() as unit:
            found = await unit.task(task)
            if found is None or not await permitted_by_id(unit, principal, task, Act.CHANGE):
                return Failure(NotFound("task"))
            before = await unit.plan(task)
            if anew and before is not None:
                return Failure(PlanExists())
            if not anew and before is None:
                return Failure(NotFound("plan"))
            kept = before.title if before is not None else found.title
            plan = TaskPlan(
                task, named.unwrap() if named is not None else kept, content, self.clock.now()
            )
            await unit.put_plan(plan)
        return Success(plan)

    async def remove(self, principal: Principal, task: TaskId) -> Result[None, NotFound]:
        async with self.store.write() as unit:
            if not await permitted_by_id(unit, principal, task, Act.CHANGE):
                return Failure(NotFound("task"))
            return Success(None) if await unit.remove_plan(task) else Failure(NotFound("plan"))
