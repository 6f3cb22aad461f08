"""Talk to a session's agent: begin a turn, cancel it, answer what it asks permission for."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.access import Act, NotFound
from domain.execution import Handle
from domain.identity import SessionId, TurnId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.session import Move, NotAllowed
from domain.task import InvalidPrompt, check_prompt
from domain.turn import Turn
from pipelines.authority import permitted_by_id, session_for
from pipelines.begin_turn import begin_turn, give_up_turn, handle_of
from pipelines.start_problem import Superseded
from ports.clock import Clock
from ports.ids import Ids
from ports.redactor import Redactor
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Store

__all__ = ("AnswerPermission", "CancelTurn", "PromptSession", "TalkProblem")

TalkProblem: TypeAlias = NotFound | NotAllowed | InvalidPrompt | Superseded | RuntimeProblem


@dataclass(frozen=True, slots=True)
class PromptSession:
    store: Store
    runtime: Runtime
    clock: Clock
    ids: Ids
    redactor: Redactor

    async def __call__(
        self, principal: Principal, session: SessionId, text: str
    ) -> Result[Turn, TalkProblem]:
        """Begin a turn. It is stored before the agent hears of it, and failed when it cannot.

        The agent hears the text as it is; what is stored is without secrets.
        """
        prompt = check_prompt(text)
        if failed(prompt):
            return prompt
        begun = await self._begin(principal, session, prompt.unwrap())
        if failed(begun):
            return begun
        turn, handle = begun.unwrap()
        taken = await self.runtime.prompt(handle, turn.generation, prompt.unwrap())
        if failed(taken):
            async with self.store.write() as unit:
                await give_up_turn(unit, turn, taken.failure(), self.clock.now())
            return taken
        return Success(turn)

    async def _begin(
        self, principal: Principal, session: SessionId, prompt: str
    ) -> Result[tuple[Turn, Handle], TalkProblem]:
        async with self.store.write() as unit:
            found = await unit.session(session)
            if found is None or not await permitted_by_id(unit, principal, found.task, Act.MESSAGE):
                return Failure(NotFound("session"))
            turn = TurnId(self.ids.new("turn"))
            kept = self.redactor.redact_transcript(prompt)
            return await begin_turn(unit, found, turn, kept, self.clock.now())


@dataclass(frozen=True, slots=True)
class CancelTurn:
    store: Store
    runtime: Runtime

    async def __call__(self, principal: Principal, session: SessionId) -> Result[None, TalkProblem]:
        """Ask the agent to end its turn; without a running turn there is nothing to do."""
        async with self.store.read() as state:
            found = await session_for(state, principal, session)
            turn = await state.running_turn(session)
        if found is None:
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
            found = await session_for(state, principal, session)
        if found is None:
            return Failure(NotFound("session"))
        handle = handle_of(found)
        if handle is None:
            return Failure(NotAllowed(found.state, Move.TURN_ENDED))
        return await self.runtime.answer(handle, request, option)
