"""Everything belongs to the one owner of the installation, and its agents act for that owner."""

from dataclasses import dataclass

from typing_extensions import override

from domain.identity import TaskId, UserId
from domain.outcome import Failure, Result, Success
from domain.principal import User
from domain.task import Task
from domain.task_owner import NoOwner
from ports.identity_scope import IdentityScope
from ports.store import Store

__all__ = ("OWNER", "InstallationScope")

OWNER = UserId("owner")
"""Whom the token of the installation acts for."""


@dataclass(frozen=True, slots=True)
class InstallationScope(IdentityScope):
    store: Store

    @override
    async def owner(self, task: TaskId) -> Result[User, NoOwner]:
        async with self.store.read() as state:
            found = await state.task(task)
        return Failure(NoOwner()) if found is None else Success(User(OWNER))

    @override
    async def sees(self, owner: User, task: TaskId) -> Task | None:
        async with self.store.read() as state:
            return await state.task(task)
