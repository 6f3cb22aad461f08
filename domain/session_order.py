"""Which of two wishes about the sessions of a task waits for the other to have its outcome.

A session on its way to another state has somebody who brings it there. Who comes meanwhile and
wants an agent waits for that end, and goes on by the state that it left. A stop waits for nobody.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from domain.identity import SessionId
from domain.session import Session, SessionState

__all__ = ("WAIT_SECONDS", "Wish", "waits")


class Wish(StrEnum):
    START = "start"
    """A new agent: a launch, or the resume of a session."""

    INSTANCE = "instance"
    """The agent that runs in a session, else a new one."""

    STOP = "stop"


WAIT_SECONDS: Final = {Wish.START: 60.0, Wish.INSTANCE: 300.0, Wish.STOP: 0.0}
"""How long a wish waits; after that it is refused by the state that is still there."""


class _Awaited(NamedTuple):
    """States that are waited for to pass: of the session itself, and of others of its task."""

    own: frozenset[SessionState]
    others: frozenset[SessionState]


_NONE: Final = frozenset[SessionState]()
_STOPPING: Final = frozenset({SessionState.STOPPING})

_AWAITED: Final = {
    Wish.START: _Awaited(_STOPPING, _STOPPING),
    Wish.INSTANCE: _Awaited(_STOPPING | {SessionState.STARTING}, _STOPPING),
    Wish.STOP: _Awaited(_NONE, _NONE),
}


def waits(wish: Wish, own: SessionId | None, sessions: Iterable[Session]) -> bool:
    """Whether it waits, given the sessions of the task; `own` is None for one that is to come."""
    awaited = _AWAITED[wish]
    return any(
        each.state in (awaited.own if each.id == own else awaited.others) for each in sessions
    )
