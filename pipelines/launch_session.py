"""Launch a session: an agent begins to work on a task."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from domain.access import Act, NotFound
from domain.agent import UnknownAgent, find
from domain.execution import ExecutorType
from domain.identity import SessionId, TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import LIVE, UNSETTLED, Session, SessionState
from domain.session_order import Wish
from domain.task import Task, TaskState
from domain.variables import InvalidVariable, check_variables
from pipelines.authority import permitted
from pipelines.session_profiles import Named, Profiles, find_profiles
from pipelines.settled_sessions import SettledSessions
from pipelines.start_execution import StartExecution
from pipelines.start_plan import Order
from pipelines.start_problem import StartProblem
from ports.agents import Agents, Installed
from ports.clock import Clock
from ports.flights import Flights
from ports.ids import Ids
from ports.store import Store

__all__ = (
    "AgentNotInstalled",
    "LaunchProblem",
    "LaunchRequest",
    "LaunchSession",
    "TaskArchived",
    "TaskBusy",
    "installed",
)


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """`environment` is the request's own layer, the highest below the managed one.

    Without an agent it is the profile's, and without an executor too: else a worktree.
    """

    task: TaskId
    agent: str | None
    executor: ExecutorType | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    allow_dirty: bool = False
    approve_automatically: bool = False
    profiles: Named = field(default_factory=Named)


@dataclass(frozen=True, slots=True)
class AgentNotInstalled:
    """The agent is known, its program is not on the `PATH`; `install` says how to get it."""

    name: str
    program: str
    install: str


@dataclass(frozen=True, slots=True)
class TaskArchived:
    """Nothing starts on an archived task."""


@dataclass(frozen=True, slots=True)
class TaskBusy:
    """A session of the task is at work in its worktree already."""

    session: SessionId


LaunchProblem: TypeAlias = (
    StartProblem | UnknownAgent | AgentNotInstalled | InvalidVariable | TaskArchived | TaskBusy
)


@dataclass(frozen=True, slots=True)
class LaunchSession:
    store: Store
    agents: Agents
    start: StartExecution
    clock: Clock
    ids: Ids
    flights: Flights
    settled: SettledSessions

    async def __call__(
        self, principal: Principal, request: LaunchRequest
    ) -> Result[Session, LaunchProblem]:
        """Start an agent on the task; the new session comes back idle, without a turn.

        Who asks for the same meanwhile gets the same session, and who gives up stops it for no
        other; with the last of them it is given up. A stop that goes on in the task ends first.
        """
        async with self.store.read() as state:
            task = await state.task(request.task)
            if task is None or not await permitted(state, principal, task, Act.CONTROL):
                return Failure(NotFound("task"))
        return await self.flights.join(
            asked(request), lambda: self._launch(principal, request), for_callers=True
        )

    async def _launch(
        self, principal: Principal, request: LaunchRequest
    ) -> Result[Session, LaunchProblem]:
        variables = check_variables(request.environment)
        if failed(variables):
            return variables
        found = await self._profiles(principal, request)
        if failed(found):
            return found
        profiles = found.unwrap()
        chosen = profiles.agent_choice
        agent = installed(self.agents, request.agent or (chosen.agent if chosen else ""))
        if failed(agent):
            return agent
        ready = agent.unwrap()
        await self.settled(Wish.START, request.task)
        created = await self._create(principal, request, ready.agent.name)
        if failed(created):
            return created
        where = profiles.executor_choice
        return await self.start(
            Order(
                session=created.unwrap(),
                agent=ready.agent,
                program=ready.program or "",
                executor=request.executor or (where.executor if where else ExecutorType.WORKTREE),
                environment=request.environment,
                allow_dirty=request.allow_dirty,
                approve_automatically=request.approve_automatically,
                fetch=True,
            )
        )

    async def _profiles(
        self, principal: Principal, request: LaunchRequest
    ) -> Result[Profiles, LaunchProblem]:
        async with self.store.read() as state:
            task = await state.task(request.task)
            if task is None or not await permitted(state, principal, task, Act.CONTROL):
                return Failure(NotFound("task"))
            return await find_profiles(state, task.workspace, request.profiles, request.agent)

    async def _create(
        self, principal: Principal, request: LaunchRequest, agent: str
    ) -> Result[Session, LaunchProblem]:
        async with self.store.write() as unit:
            task = await unit.task(request.task)
            if task is None or not await permitted(unit, principal, task, Act.CONTROL):
                return Failure(NotFound("task"))
            refused = refusal(task, await unit.sessions(task.id))
            if refused is not None:
                return Failure(refused)
            session = Session(
                id=SessionId(self.ids.new("ses")),
                task=task.id,
                agent=agent,
                state=SessionState.STARTING,
                execution=None,
                acp_session=None,
                failure=None,
                metadata={},
                created_at=self.clock.now(),
                agent_profile=request.profiles.agent,
                executor_profile=request.profiles.executor,
            )
            await unit.add_session(session)
        return Success(session)


def asked(request: LaunchRequest) -> Hashable:
    """Equal for requests of which the answer to one is an answer to the other."""
    options = (request.allow_dirty, request.approve_automatically, request.profiles)
    environment = frozenset(request.environment.items())
    return ("launch", request.task, request.agent, request.executor, options, environment)


def refusal(task: Task, sessions: Sequence[Session]) -> TaskArchived | TaskBusy | None:
    """Why no session may start on the task now; one at a time works in its worktree."""
    if task.state is TaskState.ARCHIVED:
        return TaskArchived()
    busy = next((each for each in sessions if each.state in LIVE | UNSETTLED), None)
    return TaskBusy(busy.id) if busy else None


def installed(agents: Agents, name: str) -> Result[Installed, UnknownAgent | AgentNotInstalled]:
    """The agent of this name, when its program is here."""
    known = agents.all()
    found = find(name, [each.agent for each in known])
    if failed(found):
        return found
    agent = next(each for each in known if each.agent.name == name)
    if agent.program is None:
        return Failure(AgentNotInstalled(name, agent.agent.command[0], agent.agent.install))
    return Success(agent)
