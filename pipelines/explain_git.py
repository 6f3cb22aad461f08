"""Explain what git sees in a session: the list, where each entry came from, what stays open."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound, acts_for_a_person
from domain.git_configuration import GitConfiguration
from domain.identity import SessionId
from domain.outcome import Failure, Result
from domain.principal import Principal
from pipelines.begin_turn import handle_of
from ports.runtime import Runtime, RuntimeCode, RuntimeProblem
from ports.store import Store

__all__ = ("ExplainGit", "ExplainGitProblem")

ExplainGitProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class ExplainGit:
    store: Store
    runtime: Runtime

    async def __call__(
        self, principal: Principal, session: SessionId
    ) -> Result[GitConfiguration, ExplainGitProblem]:
        """What is in effect now; a session whose agent does not run has nothing in effect."""
        if not acts_for_a_person(principal):
            return Failure(NotFound("session"))
        async with self.store.read() as state:
            found = await state.session(session)
        if found is None:
            return Failure(NotFound("session"))
        handle = handle_of(found)
        if handle is None:
            detail = f"the session is {found.state.value}: no agent runs in it"
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, detail))
        return await self.runtime.git_configuration(handle)
