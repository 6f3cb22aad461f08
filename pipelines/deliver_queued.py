"""Give an idle agent the next prompt of its session's queue.

The prompt stays in the queue, marked with its turn, until the agent is known to have heard of it: a
delivery that fails, or that nobody finished, leaves it where it was.
"""

from dataclasses import dataclass, replace

from domain.execution import Handle
from domain.identity import SessionId, TurnId
from domain.outcome import failed
from domain.prompt_queue import QueuedPrompt, due
from domain.turn import Turn
from pipelines.begin_turn import begin_turn, give_up_turn
from ports.clock import Clock
from ports.ids import Ids
from ports.redactor import Redactor
from ports.runtime import Runtime
from ports.store import Store, Writer

__all__ = ("DeliverQueued", "put_back")


@dataclass(frozen=True, slots=True)
class DeliverQueued:
    store: Store
    runtime: Runtime
    clock: Clock
    ids: Ids
    redactor: Redactor

    async def __call__(self, session: SessionId) -> None:
        """Begin the turn of the prompt that is due, if one is.

        A prompt that the agent does not take is put back, and waits there for a person.
        """
        begun = await self._begin(session)
        if begun is None:
            return
        prompt, turn, handle = begun
        taken = await self.runtime.prompt(handle, turn.generation, prompt.text)
        async with self.store.write() as unit:
            if failed(taken):
                await give_up_turn(unit, turn, taken.failure(), self.clock.now())
                await put_back(unit, turn, urgent=False)
            else:
                await unit.remove_queued(prompt.id)

    async def _begin(self, session: SessionId) -> tuple[QueuedPrompt, Turn, Handle] | None:
        async with self.store.write() as unit:
            found = await unit.session(session)
            if found is None:
                return None
            before = await unit.last_turn(session)
            last = before.state if before is not None else None
            prompt = due(await unit.queue(session), found.state, last)
            if prompt is None:
                return None
            turn = TurnId(self.ids.new("turn"))
            kept = self.redactor.redact_transcript(prompt.text)
            begun = await begin_turn(unit, found, turn, kept, self.clock.now())
            if failed(begun):
                return None
            await unit.put_queued(replace(prompt, turn=turn))
        return prompt, *begun.unwrap()


async def put_back(unit: Writer, turn: Turn, *, urgent: bool) -> None:
    """The prompt that became this turn, if one did, where it was."""
    for prompt in await unit.queue(turn.session):
        if prompt.turn == turn.id:
            await unit.put_queued(replace(prompt, turn=None, urgent=urgent))
