"""The instance of a session for work on its files or its git: the one that runs, or a new one."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.execution import Handle
from domain.identity import SessionId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import UNSETTLED, Session, SessionState
from domain.session_order import Wish
from pipelines.authority import session_for
from pipelines.begin_turn import handle_of
from pipelines.resume_session import ResumeProblem, ResumeRequest, ResumeSession
from pipelines.settled_sessions import SettledSessions
from ports.runtime import RuntimeCode, RuntimeProblem
from ports.store import Store

__all__ = ("EnsureInstance", "EnsureProblem")

EnsureProblem: TypeAlias = ResumeProblem | RuntimeProblem


@dataclass(frozen=True, slots=True)
class EnsureInstance:
    store: Store
    resume: ResumeSession
    settled: SettledSessions

    async def present(
        self, principal: Principal, session: SessionId
    ) -> Result[Handle, NotFound | RuntimeProblem]:
        """The instance that runs: a look starts nothing."""
        found = await self._session(principal, session)
        if failed(found):
            return found
        handle = handle_of(found.unwrap())
        if handle is None:
            detail = f"the session is {found.unwrap().state.value}: no agent runs in it"
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, detail))
        return Success(handle)

    async def __call__(
        self, principal: Principal, session: SessionId
    ) -> Result[Handle, EnsureProblem]:
        """The instance that runs, else one that is started as a resume of the session starts it.

        That of a start which goes on is taken when it is there.
        """
        found = await self._session(principal, session)
        if failed(found):
            return found
        if found.unwrap().state in UNSETTLED:
            await self.settled(Wish.INSTANCE, found.unwrap().task, session)
            found = await self._session(principal, session)
            if failed(found):
                return found
        running = handle_of(found.unwrap())
        if running is not None and found.unwrap().state is not SessionState.STARTING:
            return Success(running)
        resumed = await self.resume(principal, ResumeRequest(session))
        if failed(resumed):
            return resumed
        started = handle_of(resumed.unwrap())
        assert started is not None, "a session that was resumed has an instance"
        return Success(started)

    async def _session(self, principal: Principal, session: SessionId) -> Result[Session, NotFound]:
        async with self.store.read() as state:
            found = await session_for(state, principal, session)
        if found is None:
            return Failure(NotFound("session"))
        return Success(found)
