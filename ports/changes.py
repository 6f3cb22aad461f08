"""Following what units of work change: wake-ups only, the state itself is in the store."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from domain.change import Change

__all__ = ("Changes", "Following")


class Following(Protocol):
    async def __call__(self) -> Sequence[Change]:
        """The changes since the last call, each once; waits until there is one.

        None at all when the follower left more than `MAX_UNSEEN` of them: it has lost some, and is
        told of no more.
        """
        ...


class Changes(Protocol):
    def follow(self) -> AbstractContextManager[Following]:
        """What becomes durable from now on, until the block ends."""
        ...
