"""What agentctl does without a control plane: it lets turns finish, then ends what nobody watches.

The control plane may be restarting, so agents are not ended at once; it may be gone for good, so
they are not kept for ever.
"""

from enum import StrEnum
from typing import Final

__all__ = ("IDLE_SECONDS", "LATEST_SECONDS", "Solitude", "alone")

IDLE_SECONDS: Final = 15 * 60.0
"""Without a control plane and without a turn: then agents and agentctl end."""

LATEST_SECONDS: Final = 24 * 60 * 60.0
"""Without a control plane, whatever still runs: then they end all the same."""


class Solitude(StrEnum):
    STAY = "stay"
    END = "end"


def alone(
    *,
    alone_for: float,
    idle_for: float,
    idle: float = IDLE_SECONDS,
    latest: float = LATEST_SECONDS,
) -> Solitude:
    """Whether to stay; `idle_for` is since the last turn ended, 0 while one runs."""
    if alone_for >= latest or min(alone_for, idle_for) >= idle:
        return Solitude.END
    return Solitude.STAY
