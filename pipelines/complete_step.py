"""An agent says that it did what its task asks: the report is kept, and the task is for review."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Execution, Principal
from domain.session import LIVE
from domain.step_report import InvalidReport, StepReport, StepWords, check_words
from domain.task import Task, TaskState
from domain.task_move import moved
from ports.clock import Clock
from ports.store import Store

__all__ = ("CompleteStep", "CompleteStepProblem", "Completed")

CompleteStepProblem: TypeAlias = NotFound | InvalidReport


@dataclass(frozen=True, slots=True)
class Completed:
    """`accepted` is false when the task was not open: somebody said before that it is complete."""

    accepted: bool
    task: Task


@dataclass(frozen=True, slots=True)
class CompleteStep:
    store: Store
    clock: Clock

    async def __call__(
        self, principal: Principal, words: StepWords
    ) -> Result[Completed, CompleteStepProblem]:
        """For the agent's own session, while that is live; nobody else says it for an agent.

        Of several at once one is accepted, and the others change nothing.
        """
        checked = check_words(words)
        if failed(checked):
            return checked
        if not isinstance(principal, Execution):
            return Failure(NotFound("session"))
        async with self.store.write() as unit:
            task = await unit.task(principal.task)
            session = await unit.session(principal.session)
            if task is None or session is None or session.task != task.id:
                return Failure(NotFound("session"))
            if session.state not in LIVE or session.execution != principal.id:
                return Failure(NotFound("session"))
            if task.state is not TaskState.OPEN:
                return Success(Completed(accepted=False, task=task))
            reviewed = moved(task, TaskState.REVIEW).unwrap()
            await unit.put_task(reviewed)
            await unit.put_report(StepReport(task.id, session.id, words, self.clock.now()))
        return Success(Completed(accepted=True, task=reviewed))
