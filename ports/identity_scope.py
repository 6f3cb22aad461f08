"""For whom an agent acts: the owner of what it works on, and what that owner may see."""

from typing import Protocol

from domain.identity import TaskId
from domain.outcome import Result
from domain.principal import User
from domain.task import Task
from domain.task_owner import NoOwner

__all__ = ("IdentityScope",)


class IdentityScope(Protocol):
    async def owner(self, task: TaskId) -> Result[User, NoOwner]:
        """Who owns the workspace of the task, as long as that account may act."""
        ...

    async def sees(self, owner: User, task: TaskId) -> Task | None:
        """The task, when it is this user's to see."""
        ...
