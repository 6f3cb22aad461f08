"""Explain what git sees in a session: the list, where each entry came from, what stays open."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.git_configuration import GitConfiguration
from domain.identity import SessionId
from domain.outcome import Failure, Result
from domain.principal import Principal
from pipelines.authority import session_for
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
        async with self.store.read() as state:
            found = await session_for(state, principal, session)
        if found is None:
            return Failure(NotFound("session"))
        handle = handle_of(found)
        if handle is None:
            detail = f"the session is {found.state.value}: no agent runs in it"
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, detail))
        return await self.runtime.git_configuration(handle)
