"""The tools for the plan of a task."""

from adapters.mcp.acting import controlled
from adapters.mcp.answers import PlanAnswer, Removed
from adapters.mcp.arguments import GetTask, WritePlan
from adapters.mcp.backend import Backend
from adapters.mcp.problems import ToolProblem
from adapters.mcp.reading import task_of
from domain.access import Act, NotFound
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal

__all__ = ("create_plan", "delete_plan", "get_plan", "update_plan")


async def get_plan(
    backend: Backend, principal: Principal, asked: GetTask
) -> Result[PlanAnswer, ToolProblem]:
    async with backend.store.read() as state:
        found = await task_of(state, principal, asked.task_id)
        if failed(found):
            return found
        plan = await state.plan(found.unwrap().id)
    return Failure(NotFound("plan")) if plan is None else Success(PlanAnswer.of(plan))


async def create_plan(
    backend: Backend, principal: Principal, asked: WritePlan
) -> Result[PlanAnswer, ToolProblem]:
    return await write(backend, principal, asked, anew=True)


async def update_plan(
    backend: Backend, principal: Principal, asked: WritePlan
) -> Result[PlanAnswer, ToolProblem]:
    return await write(backend, principal, asked, anew=False)


async def write(
    backend: Backend, principal: Principal, asked: WritePlan, *, anew: bool
) -> Result[PlanAnswer, ToolProblem]:
    found = await controlled(backend, principal, asked.task_id, Act.CHANGE)
    if failed(found):
        return found
    written = await backend.keep_plan.write(
        principal, found.unwrap().id, asked.title, asked.content, anew=anew
    )
    return written if failed(written) else Success(PlanAnswer.of(written.unwrap()))


async def delete_plan(
    backend: Backend, principal: Principal, asked: GetTask
) -> Result[Removed, ToolProblem]:
    found = await controlled(backend, principal, asked.task_id, Act.CHANGE)
    if failed(found):
        return found
    removed = await backend.keep_plan.remove(principal, found.unwrap().id)
    return removed if failed(removed) else Success(Removed(task_id=found.unwrap().id))
