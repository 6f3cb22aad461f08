"""Which agents there are, and which of them are installed here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.agent import Agent

__all__ = ("Agents", "Installed")


@dataclass(frozen=True, slots=True)
class Installed:
    """An agent and the absolute path of its program, None when it is not installed."""

    agent: Agent
    program: str | None


class Agents(Protocol):
    def all(self) -> Sequence[Installed]:
        """Every agent known to this installation, in the order to list them."""
        ...
