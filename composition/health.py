"""Everything that `kandev doctor` looks at, and the same from within the server."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from typing import Final

from typing_extensions import override

from adapters.agents.catalogue import Catalogue
from adapters.home.lock import holder
from composition.examination import examine_git, examine_home
from composition.home_examination import examine_contents
from composition.settings import Settings
from domain.checkup import Finding, Level
from ports.clock import Clock
from ports.examination import Examination

__all__ = ("FRESH_SECONDS", "ServerExamination", "examine_all")

FRESH_SECONDS: Final = 10.0
"""For how long what was found is told again: looking reads every table."""


class ServerExamination(Examination):
    """Off the event loop, one examination at a time."""

    __slots__ = ("_at", "_clock", "_environment", "_found", "_settings", "_turn")

    def __init__(self, settings: Settings, environment: Mapping[str, str], clock: Clock) -> None:
        self._settings = settings
        self._environment = environment
        self._clock = clock
        self._turn = asyncio.Lock()
        self._found: Sequence[Finding] = ()
        self._at = 0.0

    @override
    async def findings(self) -> Sequence[Finding]:
        async with self._turn:
            if not self._found or self._clock.monotonic() - self._at >= FRESH_SECONDS:
                self._found = await asyncio.to_thread(
                    examine_all, self._settings, self._environment, quick=True
                )
                self._at = self._clock.monotonic()
            return self._found


def examine_all(
    settings: Settings, environment: Mapping[str, str], *, quick: bool = False
) -> Sequence[Finding]:
    """git, the home and its disk, what the home keeps and what is around it, and the agents.

    `quick` takes an SQLite database's indexes on trust.
    """
    return [
        *examine_git(shutil.which("git", path=settings.search_path)),
        *examine_home(settings.home, holder(settings.home / "server.lock")),
        *examine_contents(settings, environment, quick=quick),
        *agents(settings.search_path),
    ]


def agents(search_path: str) -> list[Finding]:
    return [
        Finding(Level.FINE, "agent_installed", each.agent.title, each.program)
        if each.program
        else Finding(
            Level.ABSENT,
            "agent_not_installed",
            each.agent.title,
            "not installed",
            each.agent.install,
        )
        for each in Catalogue(search_path).all()
    ]
