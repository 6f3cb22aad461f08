"""The agents of this installation: the public ones, the scripted one, and those a user named."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from domain.agent import CATALOGUE, Agent
from ports.agents import Installed

__all__ = ("SCRIPTED", "Catalogue")

SCRIPTED: Final = "demo"
"""The name of the scripted agent that ships."""

_SCRIPTED_AGENT = Agent(
    SCRIPTED,
    "Scripted agent",
    (sys.executable, "-I", "-m", "adapters.scripted_agent"),
    "ships with Kandev",
)


class Catalogue:
    """Looks programs up on `search_path`, a `PATH`; an absolute command is taken as it is."""

    def __init__(self, search_path: str, named: Sequence[Agent] = ()) -> None:
        self._search_path = search_path
        self._named = tuple(named)

    def all(self) -> Sequence[Installed]:
        """The public agents, the scripted one, then the user's; looked up anew at each call."""
        return [
            Installed(agent, self._program(agent.command[0]))
            for agent in (*CATALOGUE, _SCRIPTED_AGENT, *self._named)
        ]

    def _program(self, word: str) -> str | None:
        if Path(word).is_absolute():
            runs = Path(word).is_file() and os.access(word, os.X_OK)
            return word if runs else None
        found = shutil.which(word, path=self._search_path)
        return str(Path(found).absolute()) if found else None
