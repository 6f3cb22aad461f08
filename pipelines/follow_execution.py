"""Follow an execution: store its events in batches, and give its turns and itself one ending.

What is stored is published and then acknowledged, in that order, so that agentctl drops nothing
that is not safe. A batch that comes twice is stored once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from domain.event import EventKind, ExecutionEvent
from domain.execution import ExecutionState, Handle
from domain.identity import TurnId
from domain.ledger import Why
from domain.outcome import failed
from domain.session import Move, Session, SessionState, next_state
from domain.turn import Ending, Turn, ended, ending, ends, interrupted
from domain.turn_evidence import to_json
from pipelines.deliver_queued import DeliverQueued, put_back
from pipelines.end_leases import end_leases
from pipelines.note_pushes import note_pushes
from pipelines.start_problem import INTERRUPTED
from ports.clock import Clock
from ports.feed import Feed
from ports.runtime import EventsBeyondError, Runtime
from ports.store import Store, Writer

__all__ = ("FollowExecution",)


@dataclass(frozen=True, slots=True)
class FollowExecution:
    store: Store
    runtime: Runtime
    feed: Feed
    clock: Clock
    deliver: DeliverQueued

    async def __call__(self, handle: Handle, after: int, doubt: TurnId | None = None) -> None:
        """Until the execution has ended and all its events are stored.

        `doubt` is a turn that an earlier control plane began, perhaps without a word to the agent.
        Raises `ConnectionError` when agentctl goes away first: nothing is concluded from that. An
        agent whose events are not those that are stored is ended.
        """
        await self._stop_again(handle)
        doubted = await self._doubted(handle, doubt) if doubt is not None else None
        doubted = await self._resolved(handle, doubted, after)
        try:
            async for batch in self.runtime.events(handle, after):
                stored = await self.record(handle, batch)
                await self.runtime.acknowledge(handle, stored)
                doubted = await self._resolved(handle, doubted, stored)
        except EventsBeyondError:
            # What it would say next has numbers that are taken: nobody could follow it any more.
            await self.runtime.stop(handle)
        await self.conclude(handle)
        await self.runtime.release(handle)

    async def stored(self, handle: Handle) -> int:
        """The number of the last event of the execution that is stored."""
        async with self.store.read() as state:
            execution = await state.execution(handle.execution)
        return execution.acknowledged if execution else 0

    async def record(self, handle: Handle, batch: Sequence[ExecutionEvent]) -> int:
        """Store a batch and what it means for the turn and the ledger, in one unit.

        The number up to which agentctl may drop events: everything until there is stored, or
        belongs to a task that was deleted meanwhile. A turn that ended lets the next prompt of the
        session's queue go.
        """
        over = False
        async with self.store.write() as unit:
            if await unit.execution(handle.execution) is None:
                return batch[-1].sequence
            stored = await unit.append_events(handle.session, handle.execution, batch)
            await note_pushes(unit, handle, stored)
            for event in batch:
                if event.kind is EventKind.TURN_STARTED:
                    await self._heard(unit, handle, event.generation)
                how = ending(event)
                if how is not None:
                    over |= await self._end_turn(unit, handle, how)
            execution = await unit.execution(handle.execution)
        if stored:
            self.feed.publish(handle.session, stored[-1].sequence)
        if over:
            await self.deliver(handle.session)
        return execution.acknowledged if execution else 0

    async def conclude(self, handle: Handle) -> None:
        """The execution is over: a turn still running was interrupted, its leases are gone."""
        async with self.store.write() as unit:
            execution = await unit.execution(handle.execution)
            if execution is None or execution.state is ExecutionState.ENDED:
                return
            turn = await unit.running_turn(handle.session)
            stored = []
            if turn is not None and turn.execution == handle.execution:
                how = interrupted(turn)
                event = told(turn, how, execution.acknowledged + 1, self.clock)
                stored = list(await unit.append_events(handle.session, handle.execution, [event]))
                await self._end_turn(unit, handle, how)
                await put_back(unit, turn, urgent=False)
            session = await unit.session(handle.session)
            if session is not None and session.execution == handle.execution:
                await self._end_session(unit, session)
            await unit.put_execution(replace(execution, state=ExecutionState.ENDED))
            at = self.clock.now()
            await end_leases(unit, at, Why.SESSION_ENDED, execution=handle.execution)
        newest = stored[-1].sequence if stored else 0
        self.feed.publish(handle.session, newest)

    async def _stop_again(self, handle: Handle) -> None:
        """Ask once more for a stop whose asking did not come to its end."""
        async with self.store.read() as state:
            session = await state.session(handle.session)
        if session is not None and session.state is SessionState.STOPPING:
            await self.runtime.stop(handle)

    async def _doubted(self, handle: Handle, doubt: TurnId) -> "_Doubted | None":
        """When the doubt is over; None when there is none, or the agent is gone."""
        listed = await self.runtime.instances()
        if failed(listed):
            raise ConnectionError(listed.failure().detail)
        async with self.store.read() as state:
            turn = await state.running_turn(handle.session)
        status = next((each for each in listed.unwrap() if each.handle == handle), None)
        if turn is None or turn.id != doubt or status is None or not status.alive:
            return None
        return None if status.turn_generation == turn.generation else _Doubted(doubt, status.last)

    async def _resolved(
        self, handle: Handle, doubted: "_Doubted | None", stored: int
    ) -> "_Doubted | None":
        """End a turn of which the agent never heard, once everything that it told is stored."""
        if doubted is None or stored < doubted.last:
            return doubted
        async with self.store.write() as unit:
            turn = await unit.running_turn(handle.session)
            if turn is not None and turn.id == doubted.turn:
                await self._end_turn(unit, handle, interrupted(turn))
                await put_back(unit, turn, urgent=True)
        await self.deliver(handle.session)
        return None

    async def _end_session(self, unit: Writer, session: Session) -> None:
        state = next_state(session.state, Move.ENDED)
        if not failed(state):
            failure = INTERRUPTED if state.unwrap() is SessionState.FAILED else session.failure
            await unit.save_session(replace(session, state=state.unwrap(), failure=failure))

    async def _heard(self, unit: Writer, handle: Handle, generation: int | None) -> None:
        """The agent began the turn: the prompt that it came from has left the queue."""
        turn = await unit.running_turn(handle.session)
        for prompt in await unit.queue(handle.session):
            if turn and turn.generation == generation and prompt.turn == turn.id:
                await unit.remove_queued(prompt.id)

    async def _end_turn(self, unit: Writer, handle: Handle, how: Ending) -> bool:
        """Whether a turn ended by it."""
        turn = await unit.running_turn(handle.session)
        if turn is None or turn.execution != handle.execution or not ends(turn, how):
            return False
        await unit.put_turn(ended(turn, how, self.clock.now()))
        session = await unit.session(handle.session)
        if session is None or session.state is SessionState.STOPPING:
            return True
        state = next_state(session.state, Move.TURN_ENDED)
        if not failed(state):
            await unit.save_session(replace(session, state=state.unwrap()))
        return True


class _Doubted(NamedTuple):
    """A turn that is the agent's only if an event up to `last` says so."""

    turn: TurnId
    last: int


def told(turn: Turn, how: Ending, sequence: int, clock: Clock) -> ExecutionEvent:
    """The event that readers see for an ending that no agent reported."""
    return ExecutionEvent(
        sequence=sequence,
        at=clock.now(),
        kind=EventKind.COMPLETE,
        generation=turn.generation,
        body={
            "state": how.state.value,
            "stop_reason": None,
            "error": how.error,
            "evidence": to_json(how.evidence),
        },
    )
