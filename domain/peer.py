"""Who is at the other end of an instance's socket, as far as the kernel can tell.

A socket's path is a capability and no identity: whoever runs as the same user can reach it. What is
told here is written down, and only what is surely foreign is refused.
"""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ("Descent", "Foreign", "Peer")


class Descent(StrEnum):
    """Whether a process descends from the instance's agent, or from agentctl working for it.

    `UNKNOWN`: its parents have ended, or it lives in another namespace of processes.
    """

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Peer:
    """`pid` as agentctl sees it, 0 when it cannot."""

    pid: int
    descent: Descent


@dataclass(frozen=True, slots=True)
class Foreign:
    """The process is another user's, or another instance's."""

    pid: int
    user: int
