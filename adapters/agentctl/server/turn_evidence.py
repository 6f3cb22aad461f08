"""What a turn left in the repositories of its instance, told by git in the instance's environment.

Before a turn only files are read, so that its first event waits for nothing. After it git is asked,
within a bound; what it does not say in time is unknown.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from typing_extensions import override

from adapters.agentctl import wire
from adapters.agentctl.server import worktree_files
from adapters.agentctl.server.git_explanation import Kept, unpack
from adapters.agentctl.server.turns import Witness
from adapters.agentctl.server.worktrees import checkouts
from domain.identity import RepositoryId
from domain.outcome import failed
from domain.turn_evidence import (
    MAX_UNPUSHED,
    UNKNOWN,
    Commit,
    Evidence,
    RepositoryEvidence,
    Unknown,
    status,
)
from ports.git import GitProcess

__all__ = ("GitWitness", "Watched", "watched")

LOOK_SECONDS: Final = 10.0
"""For each question that git is asked after a turn."""

# An agent may have left hooks and monitors there, and processes that want its locks.
_QUIETLY: Final = (
    "--no-optional-locks",
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
)
_STATUS: Final = ("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal")
_COUNT: Final = ("rev-list", "--count")


class Watched(NamedTuple):
    """A repository, and the checkout of it that the agent works in."""

    repository: str
    path: str


def watched(asked: wire.Create) -> tuple[Watched, ...]:
    paths = checkouts(asked)
    return tuple(
        Watched(each.repository, paths[folder])
        for each, folder in zip(asked.checkouts, paths, strict=False)
    )


@dataclass(frozen=True, slots=True)
class GitWitness(Witness):
    """Of one instance."""

    git: GitProcess
    kept: Kept
    places: tuple[Watched, ...]

    @override
    def before(self) -> Sequence[Commit]:
        return [worktree_files.head_commit(Path(each.path)) for each in self.places]

    @override
    async def after(self, before: Sequence[Commit]) -> Evidence:
        if not self.places:
            return ()
        environment = unpack(self.kept).environment.variables
        async with asyncio.TaskGroup() as group:
            looks = [
                group.create_task(self._look(place, head, environment))
                for place, head in zip(self.places, before, strict=True)
            ]
        return tuple(look.result() for look in looks)

    async def _look(
        self, place: Watched, before: Commit, environment: Mapping[str, str]
    ) -> RepositoryEvidence:
        repository = RepositoryId(place.repository)
        told = await self._ask(place, environment, *_STATUS)
        if told is None:
            return RepositoryEvidence(repository, before, UNKNOWN, UNKNOWN, UNKNOWN)
        found = status(_printable(told))
        unpushed = await self._unpushed(place, environment, found.head)
        return RepositoryEvidence(repository, before, found.head, found.dirty, unpushed)

    async def _unpushed(
        self, place: Watched, environment: Mapping[str, str], head: Commit
    ) -> int | Unknown:
        """Unknown where no remote was ever asked: nothing tells then what it has."""
        if head is None or isinstance(head, Unknown):
            return UNKNOWN
        remote = await self._ask(place, environment, "for-each-ref", "--count=1", "refs/remotes")
        if not remote:
            return UNKNOWN
        counted = await self._ask(
            place, environment, *_COUNT, f"--max-count={MAX_UNPUSHED}", head, "--not", "--remotes"
        )
        return UNKNOWN if counted is None else int(counted)

    async def _ask(
        self, place: Watched, environment: Mapping[str, str], *arguments: str
    ) -> str | None:
        told = await self.git(
            [*_QUIETLY, *arguments],
            directory=place.path,
            environment=environment,
            seconds=LOOK_SECONDS,
        )
        return None if failed(told) else told.unwrap().stdout


def _printable(told: str) -> str:
    """Names of files are bytes; an event is text."""
    return os.fsencode(told).decode("utf-8", "replace")
