"""An agent acts for the owner of the workspace that its task is in, and sees what that one sees."""

from dataclasses import dataclass

from typing_extensions import override

from domain.identity import TaskId
from domain.outcome import Failure, Result, Success
from domain.principal import User
from domain.task import Task
from domain.task_owner import NoOwner
from pipelines.authority import task_for
from ports.identity_scope import IdentityScope
from ports.store import Store

__all__ = ("OwnerScope",)


@dataclass(frozen=True, slots=True)
class OwnerScope(IdentityScope):
    store: Store

    @override
    async def owner(self, task: TaskId) -> Result[User, NoOwner]:
        async with self.store.read() as state:
            found = await state.task(task)
            workspace = await state.workspace(found.workspace) if found is not None else None
            account = await state.account(workspace.owner) if workspace is not None else None
        if workspace is None or (account is not None and not account.active):
            return Failure(NoOwner())
        return Success(User(workspace.owner))

    @override
    async def sees(self, owner: User, task: TaskId) -> Task | None:
        async with self.store.read() as state:
            return await task_for(state, owner, task)
