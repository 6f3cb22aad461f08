"""Prompts that wait for the turns before them: one queue a session, delivered one a turn.

A turn that completed lets the next prompt go. After one that ended otherwise the queue waits for a
person: what went wrong would go wrong again, and who cancelled wants a word first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.access import NotFound
from domain.identity import QueuedId, SessionId, TurnId
from domain.outcome import Failure, Result, Success
from domain.session import SessionState
from domain.turn import TurnState

__all__ = (
    "MAX_QUEUED",
    "QueueChanged",
    "QueueFull",
    "QueuedPrompt",
    "admitted",
    "due",
    "first_in_line",
    "found",
    "reordered",
    "waiting",
)

MAX_QUEUED: Final = 10
"""Prompts of one session, the one that is being delivered included."""


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """The lowest `position` is the next.

    `urgent`: it goes however the turn before it ends. `turn` is the turn that it became, as long as
    nobody knows whether the agent heard of it; it is neither shown nor changed then.
    """

    id: QueuedId
    session: SessionId
    position: int
    text: str
    queued_at: datetime
    urgent: bool = False
    turn: TurnId | None = None


@dataclass(frozen=True, slots=True)
class QueueFull:
    """The queue has `MAX_QUEUED` prompts."""


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The order was not one of exactly the prompts that wait, which are these."""

    waiting: tuple[QueuedId, ...]


def waiting(queue: Sequence[QueuedPrompt]) -> tuple[QueuedPrompt, ...]:
    """What can be shown and changed, the next first."""
    return tuple(sorted((each for each in queue if each.turn is None), key=_position))


def admitted(
    queue: Sequence[QueuedPrompt], prompt: QueuedPrompt
) -> Result[QueuedPrompt, QueueFull]:
    """The prompt behind all others."""
    if len(queue) >= MAX_QUEUED:
        return Failure(QueueFull())
    last = max(map(_position, queue), default=0)
    return Success(replace(prompt, position=last + 1))


def found(queue: Sequence[QueuedPrompt], prompt: QueuedId) -> Result[QueuedPrompt, NotFound]:
    """One that waits."""
    for each in waiting(queue):
        if each.id == prompt:
            return Success(each)
    return Failure(NotFound("prompt"))


def reordered(
    queue: Sequence[QueuedPrompt], order: Sequence[QueuedId]
) -> Result[tuple[QueuedPrompt, ...], QueueChanged]:
    """All that wait, each at the place that `order` gives it; it names each exactly once."""
    now = waiting(queue)
    if sorted(order) != sorted(each.id for each in now):
        return Failure(QueueChanged(tuple(each.id for each in now)))
    by_id = {each.id: each for each in now}
    places = map(_position, now)
    return Success(
        tuple(
            replace(by_id[each], position=place) for each, place in zip(order, places, strict=True)
        )
    )


def first_in_line(queue: Sequence[QueuedPrompt], prompt: QueuedPrompt) -> QueuedPrompt:
    """The prompt before all others, to go however the turn that runs ends."""
    first = min(map(_position, queue), default=prompt.position)
    position = prompt.position if prompt.position == first else first - 1
    return replace(prompt, position=position, urgent=True)


def due(
    queue: Sequence[QueuedPrompt], state: SessionState, last: TurnState | None
) -> QueuedPrompt | None:
    """What is to be delivered now; `last` is how the session's last turn ended, if it had one."""
    ready = waiting(queue)
    if not ready or len(ready) < len(queue) or state is not SessionState.IDLE:
        return None
    following = last in {None, TurnState.COMPLETED}
    return ready[0] if following or ready[0].urgent else None


def _position(prompt: QueuedPrompt) -> int:
    return prompt.position
