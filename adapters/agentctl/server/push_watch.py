"""Sees the pushes of a managed instance in git's reflogs, and tells each as an event.

It looks after each credential that was given and at each turn's end, so that a push is known to lie
between two looks whatever time git wrote beside it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from adapters.agentctl import wire
from adapters.agentctl.server import reflogs, worktree_files
from adapters.agentctl.server.reflogs import Known
from adapters.agentctl.server.turn_evidence import Watched, watched
from domain.event import EventKind, Json
from domain.execution import ExecutorType
from domain.identity import RepositoryId
from domain.outcome import failed
from domain.push import (
    MAX_UPDATES,
    REFLOGS_OFF,
    Push,
    Unseen,
    Update,
    Whose,
    Worktree,
    grouped,
    to_json,
    whose,
)
from ports.git import GitProcess

__all__ = ("PushWatch", "begin")

QUESTION_SECONDS: Final = 10.0
"""For git's answer whether it keeps reflogs."""

_KEEPS: Final = ("config", "--get", "--type=bool", "core.logAllRefUpdates")


@dataclass(slots=True)
class _Repository:
    """`common` holds what its worktrees share, `admin` what belongs to ours.

    `branch` is the one that our worktree was made for; none where we made none.
    """

    name: RepositoryId
    common: Path
    admin: Path
    branch: str
    shared: bool
    known: Mapping[str, Known]


@dataclass(slots=True)
class PushWatch:
    """Of one instance. `record` appends an event, `flush` hands it out."""

    repositories: Sequence[_Repository]
    record: Callable[[EventKind, Json], None]
    flush: Callable[[], None]
    now: Callable[[], datetime]
    _looking: asyncio.Lock | None = None
    _waiting: bool = False

    async def look(self, ago: float | None = None) -> None:
        """Tell of what was pushed since the last look. Whoever comes while one waits is served.

        `ago`: the seconds since the question came that gave rise to this look.
        """
        before = None if ago is None else self.now() - timedelta(seconds=ago)
        if self._waiting or not self.repositories:
            return
        self._waiting = True
        if self._looking is None:
            self._looking = asyncio.Lock()
        try:
            await self._looking.acquire()
        finally:
            self._waiting = False
        try:
            for repository in self.repositories:
                found, repository.known = await asyncio.to_thread(_look, repository)
                for push in found:
                    self.record(EventKind.PUSH, to_json(replace(push, before=before)))
        finally:
            self._looking.release()
        self.flush()


async def begin(
    asked: wire.Create,
    git: GitProcess,
    environment: Mapping[str, str],
    record: Callable[[EventKind, Json], None],
    flush: Callable[[], None],
    now: Callable[[], datetime],
) -> PushWatch:
    """Watch the repositories that there are leases for; what is there now is not news.

    Where nothing can be seen, that is recorded.
    """
    leased = {lease.repository for lease in asked.managed.leases} if asked.managed else set()
    repositories: list[_Repository] = []
    for place, checkout in zip(watched(asked), asked.checkouts, strict=False):
        if place.repository in leased:
            local = asked.executor == ExecutorType.LOCAL
            found = await asyncio.to_thread(_open, place, checkout, shared=local)
            if found is not None and await _keeps_reflogs(git, place, environment):
                repositories.append(found)
            else:
                unseen = Unseen(RepositoryId(place.repository), REFLOGS_OFF)
                record(EventKind.PUSH, to_json(unseen))
    return PushWatch(repositories, record, flush, now)


def _open(place: Watched, checkout: wire.Checkout, *, shared: bool) -> _Repository | None:
    source = Path(checkout.source)
    common = worktree_files.repository_of(source) or source.resolve()
    admin = common if shared else worktree_files.admin_of(Path(place.path))
    if admin is None or not reflogs.are_files(common):
        return None
    _, known = reflogs.look(common, {})
    name, branch = RepositoryId(place.repository), "" if shared else checkout.branch
    return _Repository(name, common, admin.resolve(), branch, shared, known)


async def _keeps_reflogs(git: GitProcess, place: Watched, environment: Mapping[str, str]) -> bool:
    """Unless it is switched off; `always`, which is no boolean, and nothing keep them."""
    told = await git(
        _KEEPS, directory=place.path, environment=environment, seconds=QUESTION_SECONDS
    )
    return failed(told) or told.unwrap().stdout.strip() != "false"


def _look(repository: _Repository) -> tuple[list[Push], dict[str, Known]]:
    moved, known = reflogs.look(repository.common, repository.known)
    if not moved:
        return [], known
    ours, others = _worktrees(repository)
    told = [_push(repository, group, ours, others) for group in grouped(moved)]
    return [push for push in told if push.whose is not Whose.ANOTHER], known


def _worktrees(repository: _Repository) -> tuple[Worktree, Sequence[Worktree]]:
    """Ours, also on the branch that it was made for, and all others."""
    ours = Worktree(frozenset(), frozenset())
    others: list[Worktree] = []
    for admin, worktree in reflogs.worktrees(repository.common):
        if admin.resolve() == repository.admin:
            ours = worktree
        else:
            others.append(worktree)
    branches = ours.branches | ({repository.branch} if repository.branch else set())
    return ours._replace(branches=branches), others


def _push(
    repository: _Repository,
    group: tuple[Update, ...],
    ours: Worktree,
    others: Sequence[Worktree],
) -> Push:
    told = whose(group, ours, others, shared=repository.shared)
    return Push(repository.name, told, group[:MAX_UPDATES], max(0, len(group) - MAX_UPDATES))
