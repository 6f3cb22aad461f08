"""Who watches over running executions."""

from typing import Protocol

from domain.execution import Handle

__all__ = ("Followers",)


class Followers(Protocol):
    def follow(self, handle: Handle, after: int) -> None:
        """Store the execution's events from `after` on until it has ended, under an owner.

        Following one that is followed already changes nothing.
        """
        ...
