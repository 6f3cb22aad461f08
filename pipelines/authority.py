"""Whether a principal may do something with a task, as the store knows both."""

from domain.access import Act, acts_for_a_person, allows
from domain.identity import TaskId
from domain.principal import Execution, Principal
from domain.task import Task
from ports.store import Reader

__all__ = ("own_task", "permitted", "permitted_by_id")


async def own_task(state: Reader, principal: Principal) -> Task | None:
    """The task that an agent works on; nobody else has one."""
    return await state.task(principal.task) if isinstance(principal, Execution) else None


async def permitted(state: Reader, principal: Principal, task: Task, act: Act) -> bool:
    return allows(principal, await own_task(state, principal), task, act)


async def permitted_by_id(state: Reader, principal: Principal, task: TaskId, act: Act) -> bool:
    """The same for a task that was not read; one that is not there may be nobody's."""
    if acts_for_a_person(principal):
        return True
    found = await state.task(task)
    return found is not None and await permitted(state, principal, found, act)
