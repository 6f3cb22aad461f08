"""Who waits for the events of a session: wake-ups only, the events themselves are in the store."""

from typing import Protocol

from domain.identity import SessionId

__all__ = ("Feed",)


class Feed(Protocol):
    def publish(self, session: SessionId, through: int) -> None:
        """Tell every waiter that events up to `through` are stored. Never blocks, never raises."""
        ...

    async def wait(self, session: SessionId, after: int, seconds: float) -> int:
        """The newest number once an event after `after` is stored; `after` when time runs out."""
        ...
