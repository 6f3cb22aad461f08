"""Who watches over running executions."""

from collections.abc import Sequence
from typing import Protocol

from domain.event import ExecutionEvent
from domain.execution import Handle
from domain.identity import TurnId

__all__ = ("Followers",)


class Followers(Protocol):
    def follow(self, handle: Handle, after: int, doubt: TurnId | None = None) -> None:
        """Store the execution's events from `after` on until it has ended, under an owner.

        `doubt` is a turn of which the agent may never have heard: it is given up then.
        Following one that is followed already changes nothing.
        """
        ...

    async def heard(self, handle: Handle, events: Sequence[ExecutionEvent]) -> None:
        """Store events of an execution that is not followed yet; they may come again."""
        ...
