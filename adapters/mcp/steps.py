"""The tools that say how far the work on a task is."""

from adapters.mcp.acting import controlled
from adapters.mcp.answers import TaskAnswer
from adapters.mcp.backend import Backend
from adapters.mcp.problems import ToolProblem
from adapters.mcp.step_shapes import CompleteStep, MoveTask, StepAnswer
from domain.outcome import Result, Success, failed
from domain.principal import Principal
from domain.step_report import StepWords
from domain.task import TaskState
from domain.task_move import act_of

__all__ = ("complete_step", "move_task")


async def move_task(
    backend: Backend, principal: Principal, asked: MoveTask
) -> Result[TaskAnswer, ToolProblem]:
    wanted = TaskState(asked.state)
    found = await controlled(backend, principal, asked.task_id, act_of(wanted))
    if failed(found):
        return found
    there = await backend.move_task(principal, found.unwrap().id, wanted)
    return there if failed(there) else Success(TaskAnswer.of(there.unwrap()))


async def complete_step(
    backend: Backend, principal: Principal, asked: CompleteStep
) -> Result[StepAnswer, ToolProblem]:
    words = StepWords(asked.summary, asked.handoff or "", asked.blockers or "")
    said = await backend.complete_step(principal, words)
    if failed(said):
        return said
    completed = said.unwrap()
    return Success(
        StepAnswer(
            accepted=completed.accepted,
            reason=None if completed.accepted else "already_signaled",
            state=completed.task.state,
        )
    )
