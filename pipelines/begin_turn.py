"""The beginning of a turn, and its end when the agent does not take the prompt."""

from dataclasses import replace
from datetime import datetime

from domain.execution import Handle
from domain.failure_reason import classify
from domain.identity import SessionId, TurnId
from domain.outcome import Failure, Result, Success, failed
from domain.session import LIVE, Move, NotAllowed, Session, next_state
from domain.turn import Ending, Turn, TurnState, ended
from pipelines.start_problem import Superseded
from ports.runtime import RuntimeProblem
from ports.store import Reader, Writer

__all__ = ("begin_turn", "give_up_turn", "handle_of")


def handle_of(session: Session) -> Handle | None:
    """The instance of a session that has a live agent."""
    if session.execution is None or session.state not in LIVE:
        return None
    return Handle(session.execution, session.task, session.id)


async def begin_turn(
    unit: Writer, session: Session, turn: TurnId, prompt: str, at: datetime
) -> Result[tuple[Turn, Handle], NotAllowed | Superseded]:
    """Store a running turn of the session, which its agent is to hear of next."""
    handle = handle_of(session)
    state = next_state(session.state, Move.TURN_BEGAN)
    if failed(state) or handle is None:
        return Failure(NotAllowed(session.state, Move.TURN_BEGAN))
    begun = Turn(
        id=turn,
        session=session.id,
        execution=handle.execution,
        generation=await _following_generation(unit, session.id),
        prompt=prompt,
        state=TurnState.RUNNING,
        started_at=at,
    )
    if not await unit.save_session(replace(session, state=state.unwrap())):
        return Failure(Superseded())
    await unit.put_turn(begun)
    return Success((begun, handle))


async def give_up_turn(unit: Writer, turn: Turn, problem: RuntimeProblem, at: datetime) -> None:
    """The agent did not take the prompt: the turn has failed, and the session is free."""
    current = await unit.turn(turn.id)
    if current is None or current.state is not TurnState.RUNNING:
        return
    why = classify(problem.detail)
    how = Ending(turn.generation, TurnState.FAILED, None, problem.detail, why)
    await unit.put_turn(ended(current, how, at))
    session = await unit.session(turn.session)
    state = next_state(session.state, Move.TURN_ENDED) if session else None
    if session is not None and state is not None and not failed(state):
        await unit.save_session(replace(session, state=state.unwrap()))


async def _following_generation(state: Reader, session: SessionId) -> int:
    last = await state.last_turn(session)
    return last.generation + 1 if last is not None else 1
