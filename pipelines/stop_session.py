"""Stop a session: its leases end at once, then its agent and everything the agent started."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import Act, NotFound
from domain.execution import Handle
from domain.identity import SessionId
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import Move, Session, SessionState, next_state
from pipelines.authority import permitted_by_id
from pipelines.end_leases import end_leases
from pipelines.start_problem import Superseded
from ports.clock import Clock
from ports.flights import Flights
from ports.runtime import Runtime, RuntimeCode, RuntimeProblem
from ports.store import Store

__all__ = ("StopProblem", "StopSession")

StopProblem: TypeAlias = NotFound | Superseded | RuntimeProblem


@dataclass(frozen=True, slots=True)
class StopSession:
    store: Store
    runtime: Runtime
    clock: Clock
    flights: Flights

    async def __call__(
        self, principal: Principal, session: SessionId
    ) -> Result[Session, StopProblem]:
        """Stop it; one that has ended already is given as it is.

        The session is `stopping` when this returns; its last events are stored before it is
        `stopped`. Its agent is told once for all who ask meanwhile, and who gives up stops nothing.
        """
        asking = ("stop", principal, session)
        return await self.flights.join(asking, lambda: self._stop(principal, session))

    async def _stop(self, principal: Principal, session: SessionId) -> Result[Session, StopProblem]:
        asked = await self._ask(principal, session)
        if failed(asked):
            return asked
        found = asked.unwrap()
        if found.state is not SessionState.STOPPING or found.execution is None:
            return Success(found)
        handle = Handle(found.execution, found.task, found.id)
        stopped = await self.flights.join(("stop", handle), lambda: self.runtime.stop(handle))
        if failed(stopped) and stopped.failure().code is not RuntimeCode.NO_INSTANCE:
            return stopped
        return Success(found)

    async def _ask(
        self, principal: Principal, session: SessionId
    ) -> Result[Session, NotFound | Superseded]:
        async with self.store.write() as unit:
            found = await unit.session(session)
            if found is None or not await permitted_by_id(unit, principal, found.task, Act.CONTROL):
                return Failure(NotFound("session"))
            state = next_state(found.state, Move.STOP_ASKED)
            if failed(state):
                return Success(found)
            stopping = replace(found, state=state.unwrap())
            if not await unit.save_session(stopping):
                return Failure(Superseded())
            if found.execution is not None:
                at = self.clock.now()
                await end_leases(unit, at, Why.SESSION_STOPPED, execution=found.execution)
        return Success(replace(stopping, version=stopping.version + 1))
