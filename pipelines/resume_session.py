"""Resume a session: a new execution continues its conversation in the same worktree."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from domain.access import NotFound
from domain.agent import UnknownAgent
from domain.execution import ExecutorType
from domain.identity import SessionId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import Move, Session, next_state
from domain.session_order import Wish
from domain.variables import InvalidVariable, check_variables
from pipelines.authority import session_for
from pipelines.deliver_queued import DeliverQueued
from pipelines.launch_session import AgentNotInstalled, TaskArchived, TaskBusy, installed, refusal
from pipelines.session_profiles import Named, find_profiles
from pipelines.settled_sessions import SettledSessions
from pipelines.start_execution import StartExecution
from pipelines.start_plan import Order
from pipelines.start_problem import StartProblem, Superseded
from ports.agents import Agents
from ports.flights import Flights
from ports.store import Store

__all__ = ("ResumeProblem", "ResumeRequest", "ResumeSession")

ResumeProblem: TypeAlias = (
    StartProblem | UnknownAgent | AgentNotInstalled | InvalidVariable | TaskArchived | TaskBusy
)


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """`fresh` forgets the agent's conversation and starts a new one.

    A profile that is named takes the place of the one that the session has.
    """

    session: SessionId
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    approve_automatically: bool = False
    fresh: bool = False
    profiles: Named = field(default_factory=Named)


@dataclass(frozen=True, slots=True)
class ResumeSession:
    store: Store
    agents: Agents
    start: StartExecution
    deliver: DeliverQueued
    flights: Flights
    settled: SettledSessions

    async def __call__(
        self, principal: Principal, request: ResumeRequest
    ) -> Result[Session, ResumeProblem]:
        """Start an agent on the session's conversation; the session comes back idle.

        Who asks for the same meanwhile gets the same answer, and who gives up stops nothing. A stop
        that goes on ends first. At last the next prompt of the queue goes, unless the queue waits
        for a person.
        """
        async with self.store.read() as state:
            if await session_for(state, principal, request.session) is None:
                return Failure(NotFound("session"))
        options = (request.approve_automatically, request.fresh, request.profiles)
        asked = ("resume", request.session, options, frozenset(request.environment.items()))
        return await self.flights.join(asked, lambda: self._resume(request))

    async def _resume(self, request: ResumeRequest) -> Result[Session, ResumeProblem]:
        variables = check_variables(request.environment)
        if failed(variables):
            return variables
        async with self.store.read() as state:
            session = await state.session(request.session)
        if session is None:
            return Failure(NotFound("session"))
        agent = installed(self.agents, session.agent)
        if failed(agent):
            return agent
        await self.settled(Wish.START, session.task, session.id)
        reopened = await self._reopen(request)
        if failed(reopened):
            return reopened
        ready = agent.unwrap()
        started = await self.start(
            Order(
                session=reopened.unwrap(),
                agent=ready.agent,
                program=ready.program or "",
                executor=executor_of(session),
                environment=request.environment,
                allow_dirty=True,
                approve_automatically=request.approve_automatically,
                fetch=False,
            )
        )
        if not failed(started):
            await self.deliver(request.session)
        return started

    async def _reopen(self, request: ResumeRequest) -> Result[Session, ResumeProblem]:
        async with self.store.write() as unit:
            session = await unit.session(request.session)
            if session is None:
                return Failure(NotFound("session"))
            task = await unit.task(session.task)
            if task is None:
                return Failure(NotFound("task"))
            state = next_state(session.state, Move.RESUME_ASKED)
            if failed(state):
                return state
            others = [each for each in await unit.sessions(task.id) if each.id != session.id]
            refused = refusal(task, others)
            if refused is not None:
                return Failure(refused)
            profiles = Named(
                request.profiles.agent or session.agent_profile,
                request.profiles.executor or session.executor_profile,
            )
            found = await find_profiles(unit, task.workspace, profiles, session.agent)
            if failed(found):
                return found
            reopened = replace(
                session,
                state=state.unwrap(),
                agent_profile=profiles.agent,
                executor_profile=profiles.executor,
            )
            if not await unit.save_session(reopened):
                return Failure(Superseded())
        # What is stored keeps the conversation until another one was begun in its place.
        conversation = None if request.fresh else session.acp_session
        return Success(replace(reopened, acp_session=conversation, version=reopened.version + 1))


def executor_of(session: Session) -> ExecutorType:
    """Where the session ran last; a worktree when it never ran."""
    told = session.metadata.get("executor")
    return next((each for each in ExecutorType if each.value == told), ExecutorType.WORKTREE)
