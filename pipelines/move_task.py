"""Move a task to another state: open, for review, done."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.identity import TaskId
from domain.outcome import Failure, Result, failed
from domain.principal import Principal
from domain.task import Task, TaskState
from domain.task_move import NotMovable, act_of, moved
from pipelines.authority import permitted
from ports.store import Store

__all__ = ("MoveTask", "MoveTaskProblem")


MoveTaskProblem: TypeAlias = NotFound | NotMovable


@dataclass(frozen=True, slots=True)
class MoveTask:
    """Its agents are left alone: who is at work goes on, who is not is not started."""

    store: Store

    async def __call__(
        self, principal: Principal, task: TaskId, wanted: TaskState
    ) -> Result[Task, MoveTaskProblem]:
        async with self.store.write() as unit:
            found = await unit.task(task)
            if found is None or not await permitted(unit, principal, found, act_of(wanted)):
                return Failure(NotFound("task"))
            there = moved(found, wanted)
            if not failed(there):
                await unit.put_task(there.unwrap())
        return there
