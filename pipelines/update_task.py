"""Change what a task says of itself: its title and its prompt."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import Act, NotFound
from domain.identity import TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.task import InvalidPrompt, Task, check_prompt
from domain.workspace import InvalidName, check_name
from pipelines.authority import permitted
from ports.store import Store

__all__ = ("UpdateTask", "UpdateTaskProblem")

UpdateTaskProblem: TypeAlias = NotFound | InvalidName | InvalidPrompt


@dataclass(frozen=True, slots=True)
class UpdateTask:
    """What is None stays. An agent at work does not hear of a new prompt."""

    store: Store

    async def __call__(
        self, principal: Principal, task: TaskId, title: str | None, prompt: str | None
    ) -> Result[Task, UpdateTaskProblem]:
        named = check_name(title) if title is not None else None
        if named is not None and failed(named):
            return named
        told = check_prompt(prompt) if prompt is not None else None
        if told is not None and failed(told):
            return told
        async with self.store.write() as unit:
            found = await unit.task(task)
            if found is None or not await permitted(unit, principal, found, Act.CHANGE):
                return Failure(NotFound("task"))
            changed = replace(
                found,
                title=named.unwrap() if named is not None else found.title,
                prompt=told.unwrap() if told is not None else found.prompt,
            )
            await unit.put_task(changed)
        return Success(changed)
