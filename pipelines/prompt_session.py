"""Talk to a session's agent: begin a turn, cancel it, answer what it asks permission for."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound, acts_for_a_person
from domain.execution import Handle
from domain.failure_reason import classify
from domain.identity import SessionId, TurnId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import LIVE, Move, NotAllowed, Session, next_state
from domain.task import InvalidPrompt, check_prompt
from domain.turn import Ending, Turn, TurnState, ended
from pipelines.start_problem import Superseded
from ports.clock import Clock
from ports.ids import Ids
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Reader, Store

__all__ = ("AnswerPermission", "CancelTurn", "PromptSession", "TalkProblem", "handle_of")

TalkProblem: TypeAlias = NotFound | NotAllowed | InvalidPrompt | Superseded | RuntimeProblem


def handle_of(session: Session) -> Handle | None:
    """The instance of a session that has a live agent."""
    if session.execution is None or session.state not in LIVE:
        return None
    return Handle(session.execution, session.task, session.id)


@dataclass(frozen=True, slots=True)
class PromptSession:
    store: Store
    runtime: Runtime
    clock: Clock
    ids: Ids

    async def __call__(
        self, principal: Principal, session: SessionId, text: str
    ) -> Result[Turn, TalkProblem]:
        """Begin a turn. It is stored before the agent hears of it, and failed when it cannot."""
        prompt = check_prompt(text)
        if failed(prompt):
            return prompt
        begun = await self._begin(principal, session, prompt.unwrap())
        if failed(begun):
            return begun
        turn, handle = begun.unwrap()
        taken = await self.runtime.prompt(handle, turn.generation, turn.prompt)
        if failed(taken):
            await self._give_up(turn, taken.failure())
            return taken
        return Success(turn)

    async def _begin(
        self, principal: Principal, session: SessionId, prompt: str
    ) -> Result[tuple[Turn, Handle], TalkProblem]:
        async with self.store.write() as unit:
            found = await unit.session(session)
            if found is None or not acts_for_a_person(principal):
                return Failure(NotFound("session"))
            handle = handle_of(found)
            state = next_state(found.state, Move.TURN_BEGAN)
            if failed(state) or handle is None:
                return Failure(NotAllowed(found.state, Move.TURN_BEGAN))
            turn = Turn(
                id=TurnId(self.ids.new("turn")),
                session=found.id,
                execution=handle.execution,
                generation=await following_generation(unit, found.id),
                prompt=prompt,
                state=TurnState.RUNNING,
                started_at=self.clock.now(),
            )
            if not await unit.save_session(replace(found, state=state.unwrap())):
                return Failure(Superseded())
            await unit.put_turn(turn)
        return Success((turn, handle))

    async def _give_up(self, turn: Turn, problem: RuntimeProblem) -> None:
        async with self.store.write() as unit:
            current = await unit.turn(turn.id)
            if current is None or current.state is not TurnState.RUNNING:
                return
            why = classify(problem.detail)
            how = Ending(turn.generation, TurnState.FAILED, None, problem.detail, why)
            await unit.put_turn(ended(current, how, self.clock.now()))
            session = await unit.session(turn.session)
            state = next_state(session.state, Move.TURN_ENDED) if session else None
            if session is not None and state is not None and not failed(state):
                await unit.save_session(replace(session, state=state.unwrap()))


async def following_generation(state: Reader, session: SessionId) -> int:
    turns = await state.turns(session)
    return turns[-1].generation + 1 if turns else 1


@dataclass(frozen=True, slots=True)
class CancelTurn:
    store: Store
    runtime: Runtime

    async def __call__(self, principal: Principal, session: SessionId) -> Result[None, TalkProblem]:
        """Ask the agent to end its turn; without a running turn there is nothing to do."""
        async with self.store.read() as state:
            found = await state.session(session)
            turn = await state.running_turn(session)
        if found is None or not acts_for_a_person(principal):
            return Failure(NotFound("session"))
        handle = handle_of(found)
        if handle is None or turn is None:
            return Success(None)
        return await self.runtime.cancel(handle)


@dataclass(frozen=True, slots=True)
class AnswerPermission:
    store: Store
    runtime: Runtime

    async def __call__(
        self, principal: Principal, session: SessionId, request: str, option: str | None
    ) -> Result[None, TalkProblem]:
        """Answer with one of the options that the request offered, or None to refuse to choose."""
        async with self.store.read() as state:
            found = await state.session(session)
        if found is None or not acts_for_a_person(principal):
            return Failure(NotFound("session"))
        handle = handle_of(found)
        if handle is None:
            return Failure(NotAllowed(found.state, Move.TURN_ENDED))
        return await self.runtime.answer(handle, request, option)
