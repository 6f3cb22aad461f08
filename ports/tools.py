"""Where an agent's conversation with Kandev's tools arrives in the control plane."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeAlias

from domain.identity import ExecutionId

__all__ = ("Say", "ToolDoor")

Say: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Gives the client one message; returns when it was taken, so that a slow client slows us."""


class ToolDoor(Protocol):
    async def serve(self, execution: ExecutionId, heard: AsyncIterator[bytes], say: Say) -> None:
        """Speak the Model Context Protocol with one client of an agent until `heard` ends.

        A message is one of JSON-RPC, without line breaks. `execution` comes from the relay's frame,
        never from the agent: everything that the client asks is asked for it.
        """
        ...
