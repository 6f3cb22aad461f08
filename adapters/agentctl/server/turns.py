"""Turns of one instance: one at a time, each with exactly one ending.

The ending names the generation that came with the prompt. A turn that was cancelled ends even when
its agent ignores the cancellation, and the next prompt works.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.conversations import Conversation
from adapters.agentctl.server.hearing import Hearing
from domain.agent_bounds import AgentBounds
from domain.event import EventKind, Json
from domain.failure_reason import classify
from domain.outcome import Failure, Result, Success, failed
from domain.turn import Ending, TurnState
from domain.turn_evidence import Commit, Evidence
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Demise", "Pushes", "Talk", "Turns", "Witness")


@dataclass(frozen=True, slots=True)
class Demise:
    """How the agent's process ended: `asked` when it was us who ended it."""

    asked: bool
    detail: str
    body: Json


@dataclass(slots=True)
class _Turn:
    generation: int
    before: Sequence[Commit]
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class Witness(Protocol):
    """Looks at the repositories of an instance."""

    __slots__ = ()

    def before(self) -> Sequence[Commit]:
        """The HEAD of each, at once and without a process: a prompt waits for it."""
        ...

    async def after(self, before: Sequence[Commit]) -> Evidence:
        """What the turn that began at `before` left; within a bounded time."""
        ...


class Pushes(Protocol):
    async def look(self) -> None:
        """Record what was pushed since the last look."""
        ...


@dataclass(frozen=True, slots=True)
class Talk:
    """What a prompt needs, while there is an agent to be prompted."""

    group: asyncio.TaskGroup
    conversation: Conversation
    session: str
    witness: Witness
    pushes: Pushes


class Turns:
    """Runs prompts in the group of the instance; `demise` waits for the end of the process."""

    __slots__ = ("_bounds", "_demise", "_flush", "_hearing", "_permissions", "_turn")

    def __init__(
        self,
        hearing: Hearing,
        permissions: Permissions,
        flush: Callable[[], None],
        demise: Callable[[], Awaitable[Demise]],
        bounds: AgentBounds,
    ) -> None:
        self._hearing = hearing
        self._permissions = permissions
        self._flush = flush
        self._demise = demise
        self._bounds = bounds
        self._turn: _Turn | None = None

    @property
    def generation(self) -> int | None:
        """The generation of the turn that runs."""
        return self._turn.generation if self._turn else None

    def begin(
        self,
        talk: Talk,
        generation: int,
        text: str,
    ) -> Result[None, RuntimeProblem]:
        """Begin a turn; requests of an earlier one that nobody answered are cancelled."""
        if self._turn is not None:
            detail = f"turn {self._turn.generation} runs"
            return Failure(RuntimeProblem(RuntimeCode.BUSY, detail))
        self._permissions.cancel()
        self._turn = _Turn(generation, talk.witness.before())
        self._hearing.begin_turn(generation)
        self._flush()
        talk.group.create_task(self._run(self._turn, talk, text))
        return Success(None)

    def cancel(self) -> None:
        """Ask the running turn to end; without one there is nothing to do."""
        if self._turn is not None:
            self._turn.cancelled.set()
            self._permissions.cancel()
            self._flush()

    async def _run(self, turn: _Turn, talk: Talk, text: str) -> None:
        talked = await self._talk(turn, talk, text)
        if talked is not None and not failed(talked):
            # Some agents still send updates when they have answered: they belong to this turn.
            await asyncio.sleep(self._bounds.late_updates)
        ending = await self._ending(turn, talked)
        self._permissions.cancel()
        await talk.pushes.look()
        evidence = await talk.witness.after(turn.before)
        self._hearing.end_turn(replace(ending, evidence=evidence))
        self._turn = None
        self._flush()

    async def _talk(self, turn: _Turn, talk: Talk, text: str) -> Result[str, RuntimeProblem] | None:
        """What the agent answered; None when it ignored that the turn was cancelled."""
        async with asyncio.TaskGroup() as group:
            talking = group.create_task(talk.conversation.prompt(talk.session, text))
            watching = group.create_task(self._give_up(turn, talk, talking))
            await asyncio.wait({talking})
            watching.cancel()
        return None if talking.cancelled() else talking.result()

    async def _give_up(
        self,
        turn: _Turn,
        talk: Talk,
        talking: "asyncio.Task[Result[str, RuntimeProblem]]",
    ) -> None:
        await turn.cancelled.wait()
        await talk.conversation.cancel(talk.session)
        await asyncio.wait({talking}, timeout=self._bounds.cancel)
        talking.cancel()

    async def _ending(self, turn: _Turn, talked: Result[str, RuntimeProblem] | None) -> Ending:
        cancelled = turn.cancelled.is_set()
        if talked is None:
            error = "the agent went on after the cancellation"
            return Ending(turn.generation, TurnState.CANCELLED, None, error)
        if not failed(talked):
            reason = talked.unwrap()
            over = TurnState.CANCELLED if reason == "cancelled" else TurnState.COMPLETED
            return Ending(turn.generation, over, reason)
        problem = talked.failure()
        if problem.code is RuntimeCode.AGENT_DIED:
            demise = await self._demise()
            problem = RuntimeProblem(problem.code, demise.detail)
            if demise.asked:
                return Ending(turn.generation, TurnState.CANCELLED)
            self._hearing.record(EventKind.ERROR, {"code": problem.code, **demise.body})
        elif cancelled:
            return Ending(turn.generation, TurnState.CANCELLED)
        else:
            body: Json = {"code": problem.code, "detail": problem.detail}
            self._hearing.record(EventKind.ERROR, body)
        why = classify(problem.detail)
        return Ending(turn.generation, TurnState.FAILED, None, problem.detail, why)
