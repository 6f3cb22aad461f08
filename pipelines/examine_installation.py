"""Examine the installation for who administers it: findings name paths of the machine."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.account import AdminOnly
from domain.checkup import Finding
from domain.outcome import Failure, Result, Success
from domain.principal import Principal
from pipelines.authority import administers
from ports.examination import Examination
from ports.store import Store

__all__ = ("ExamineInstallation",)


@dataclass(frozen=True, slots=True)
class ExamineInstallation:
    store: Store
    examination: Examination

    async def __call__(self, principal: Principal) -> Result[Sequence[Finding], AdminOnly]:
        async with self.store.read() as state:
            if not await administers(state, principal):
                return Failure(AdminOnly())
        return Success(await self.examination.findings())
