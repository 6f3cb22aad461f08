"""Who watches over running executions."""

from typing import Protocol

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
