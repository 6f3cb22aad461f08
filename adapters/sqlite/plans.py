"""The plans of tasks."""

from sqlalchemy import delete, select

from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.statement import given
from adapters.sqlite.tables import table
from adapters.sqlite.unit import Unit
from adapters.sqlite.word_tables import TaskPlanRow
from domain.change import PlanChanged
from domain.identity import TaskId
from domain.task_plan import TaskPlan

__all__ = ("PlanReads", "PlanWrites")

_PLANS = table(TaskPlanRow)
_ONE = select(_PLANS).where(_PLANS.c.task_id == given("task"))
_REMOVE = delete(_PLANS).where(_PLANS.c.task_id == given("task"))


class PlanReads(Unit):
    __slots__ = ()

    async def plan(self, task: TaskId) -> TaskPlan | None:
        row = await self._on.one(_ONE, {"task": task})
        if row is None:
            return None
        key, title, content, updated = row
        return TaskPlan(TaskId(key), title, content, from_text(updated))


class PlanWrites(PlanReads):
    __slots__ = ()

    async def put_plan(self, plan: TaskPlan) -> None:
        values = {
            "task_id": plan.task,
            "title": plan.title,
            "content": plan.content,
            "updated_at": to_text(plan.updated_at),
        }
        is_new = await self._put(TaskPlanRow, values)
        self._note(PlanChanged(plan.task, came_or_went=is_new))

    async def remove_plan(self, task: TaskId) -> bool:
        removed = await self._run(_REMOVE, {"task": task}) > 0
        if removed:
            self._note(PlanChanged(task, came_or_went=True))
        return removed
