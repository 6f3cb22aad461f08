"""Where a bundle goes: the workspace of an execution, in two phases.

A staged bundle is nowhere to be seen. Committed, it is there whole, under a name that the server
chose; nothing that is there is written over. Every call names its instance by all three ids.
"""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Protocol

from domain.bundle_path import BundleId
from domain.execution import Handle
from domain.outcome import Result
from ports.runtime import RuntimeProblem

__all__ = ("BundleSink", "Consignment", "Delivered", "StageToken")


@dataclass(frozen=True, slots=True)
class StageToken:
    """Names a stage to the agentctl that has it."""

    text: str


@dataclass(frozen=True, slots=True)
class Consignment:
    """A bundle on its way: what must arrive, and each time it is called all of it anew."""

    bundle: BundleId
    length: int
    crc32: int
    chunks: Callable[[], AsyncGenerator[bytes, None]]


@dataclass(frozen=True, slots=True)
class Delivered:
    """`path` is for the agent, from its working directory; `absolute_path` is on its machine."""

    path: str
    absolute_path: str


class BundleSink(Protocol):
    async def stage(
        self, handle: Handle, consignment: Consignment
    ) -> Result[StageToken, RuntimeProblem]:
        """Bring the bytes. Refused, broken off or cancelled, nothing of them is left.

        A stage that is not committed within a minute, or whose agent ends, is gone. Raises
        `EvidenceChanged` when the bundle cannot be read.
        """
        ...

    async def commit(
        self, handle: Handle, bundle: BundleId, stage: StageToken
    ) -> Result[Delivered, RuntimeProblem]:
        """Have it appear. The very same bundle may be there already; the stage is gone after."""
        ...

    async def discard(self, handle: Handle, bundle: BundleId, stage: StageToken) -> None:
        """Take a stage back. Idempotent."""
        ...
