"""Change what waits for a session's agent: queue, edit, remove, reorder, send now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from domain import prompt_queue
from domain.access import Act, NotFound
from domain.identity import QueuedId, SessionId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.prompt_queue import QueueChanged, QueuedPrompt, QueueFull, waiting
from domain.session import Move, NotAllowed, Session
from domain.task import InvalidPrompt, check_prompt
from pipelines.authority import permitted_by_id, session_for
from pipelines.begin_turn import handle_of
from pipelines.deliver_queued import DeliverQueued
from ports.clock import Clock
from ports.ids import Ids
from ports.runtime import Runtime, RuntimeProblem
from ports.store import Reader, Store

__all__ = ("ChangeQueue", "QueueProblem", "QueuePrompt", "SendQueued")

QueueProblem: TypeAlias = (
    NotFound | InvalidPrompt | QueueFull | QueueChanged | NotAllowed | RuntimeProblem
)


@dataclass(frozen=True, slots=True)
class QueuePrompt:
    store: Store
    deliver: DeliverQueued
    clock: Clock
    ids: Ids

    async def __call__(
        self, principal: Principal, session: SessionId, text: str
    ) -> Result[QueuedPrompt, NotFound | InvalidPrompt | QueueFull]:
        """Put a prompt behind the others; an agent that has nothing to do gets it at once."""
        prompt = check_prompt(text)
        if failed(prompt):
            return prompt
        async with self.store.write() as unit:
            known = await unit.session(session)
            if known is None or not await permitted_by_id(unit, principal, known.task, Act.MESSAGE):
                return Failure(NotFound("session"))
            new = QueuedPrompt(
                QueuedId(self.ids.new("queued")), session, 0, prompt.unwrap(), self.clock.now()
            )
            admitted = prompt_queue.admitted(await unit.queue(session), new)
            if failed(admitted):
                return admitted
            await unit.put_queued(admitted.unwrap())
        await self.deliver(session)
        return admitted


@dataclass(frozen=True, slots=True)
class ChangeQueue:
    """A prompt that is being delivered is none of the queue's any more."""

    store: Store

    async def edit(
        self, principal: Principal, session: SessionId, prompt: QueuedId, text: str
    ) -> Result[QueuedPrompt, NotFound | InvalidPrompt]:
        checked = check_prompt(text)
        if failed(checked):
            return checked
        async with self.store.write() as unit:
            found = await _queued(unit, principal, session, prompt)
            if failed(found):
                return found
            edited = replace(found.unwrap(), text=checked.unwrap())
            await unit.put_queued(edited)
        return Success(edited)

    async def remove(
        self, principal: Principal, session: SessionId, prompt: QueuedId
    ) -> Result[None, NotFound]:
        async with self.store.write() as unit:
            found = await _queued(unit, principal, session, prompt)
            if failed(found):
                return found
            await unit.remove_queued(prompt)
        return Success(None)

    async def reorder(
        self, principal: Principal, session: SessionId, order: Sequence[QueuedId]
    ) -> Result[Sequence[QueuedPrompt], NotFound | QueueChanged]:
        """Give them this order; nothing changes unless it names each that waits once."""
        async with self.store.write() as unit:
            known = await _session(unit, principal, session)
            if failed(known):
                return known
            reordered = prompt_queue.reordered(await unit.queue(session), order)
            if failed(reordered):
                return reordered
            for each in reordered.unwrap():
                await unit.put_queued(each)
        return reordered


@dataclass(frozen=True, slots=True)
class SendQueued:
    store: Store
    runtime: Runtime
    deliver: DeliverQueued

    async def __call__(
        self, principal: Principal, session: SessionId, prompt: QueuedId
    ) -> Result[None, QueueProblem]:
        """Send a prompt before all others; a turn that runs is cancelled, and it goes at its end.

        For a person, and for an agent that controls the task. When that turn cannot be cancelled
        the queue is as it was.
        """
        async with self.store.write() as unit:
            known = await unit.session(session)
            if known is None or not await permitted_by_id(unit, principal, known.task, Act.CONTROL):
                return Failure(NotFound("session"))
            found = prompt_queue.found(await unit.queue(session), prompt)
            if failed(found):
                return found
            handle = handle_of(known)
            if handle is None:
                return Failure(NotAllowed(known.state, Move.TURN_BEGAN))
            before = found.unwrap()
            await unit.put_queued(prompt_queue.first_in_line(await unit.queue(session), before))
            running = await unit.running_turn(session)
        if running is not None:
            cancelled = await self.runtime.cancel(handle)
            if failed(cancelled):
                await self._as_it_was(before)
                return cancelled
        await self.deliver(session)
        return Success(None)

    async def _as_it_was(self, prompt: QueuedPrompt) -> None:
        async with self.store.write() as unit:
            now = await unit.queue(prompt.session)
            if any(each.id == prompt.id for each in waiting(now)):
                await unit.put_queued(prompt)


async def _session(
    state: Reader, principal: Principal, session: SessionId
) -> Result[Session, NotFound]:
    found = await session_for(state, principal, session)
    if found is None:
        return Failure(NotFound("session"))
    return Success(found)


async def _queued(
    state: Reader, principal: Principal, session: SessionId, prompt: QueuedId
) -> Result[QueuedPrompt, NotFound]:
    known = await _session(state, principal, session)
    if failed(known):
        return known
    return prompt_queue.found(await state.queue(session), prompt)
