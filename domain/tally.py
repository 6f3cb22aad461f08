"""How much of what is stored: counts by state, for whoever watches an installation."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ("Tally",)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts by the value of the state; `outbox` is how many events of tasks are kept."""

    tasks: Mapping[str, int]
    sessions: Mapping[str, int]
    executions: Mapping[str, int]
    outbox: int
