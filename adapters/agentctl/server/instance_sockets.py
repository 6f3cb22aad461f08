"""What an instance under managed access is given: sockets of its own, and the tools that use them.

The server core asks for it through these protocols; it holds no lease itself.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from adapters.agentctl.wire import Lease
from domain.execution import Handle

__all__ = ("ManagedSockets", "OpenSockets", "Opened")


@dataclass(frozen=True, slots=True)
class Opened:
    """The broker contract of one instance.

    `variables` are complete (`KANDEV_BROKER_SOCKET`, `KANDEV_GIT_SCOPES`, `KANDEV_TOOLS_DIR`) and
    hold no secret. `tools` is the directory that goes first on the agent's `PATH`, `helper` the
    absolute path of git's credential helper.
    """

    variables: dict[str, str]
    tools: str
    helper: str


class OpenSockets(Protocol):
    """The sockets of one instance, open until they are closed."""

    @property
    def opened(self) -> Opened: ...

    def admit(self, pid: int, started: int) -> None:
        """The agent was started: a peer belongs to the instance if it descends from this process.

        Before that, peers are children of agentctl itself (git that makes the worktree).
        """
        ...

    def after_giving(self, call: Callable[[float], Awaitable[None]]) -> None:
        """Call this after each credential that was given, with the seconds since the question."""
        ...

    async def close(self) -> None:
        """Close and unlink them and forget the leases; every question in flight is given up."""
        ...


class ManagedSockets(Protocol):
    """Opens sockets under unguessable names, 0600 in a 0700 directory."""

    async def open(self, handle: Handle, leases: Sequence[Lease]) -> OpenSockets:
        """Raises `OSError`; then nothing is left open."""
        ...
