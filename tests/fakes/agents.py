"""Agents as a test wants them installed."""

from collections.abc import Sequence

from typing_extensions import override

from domain.agent import Agent
from ports.agents import Agents, Installed

__all__ = ("FakeAgents",)


class FakeAgents(Agents):
    def __init__(self, *installed: Installed) -> None:
        self.installed = list(installed)

    @override
    def all(self) -> Sequence[Installed]:
        return self.installed

    @classmethod
    def demo(cls) -> "FakeAgents":
        """One agent that is installed and one that is not."""
        here = Agent("demo", "Demo", ("demo-agent", "--acp"), "ships with Kandev", {"DEMO": "1"})
        absent = Agent("absent", "Absent", ("absent-acp",), "get it somewhere")
        return cls(Installed(here, "/usr/bin/demo-agent"), Installed(absent, None))
