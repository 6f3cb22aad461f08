"""What an examination of an installation finds: a level, a stable code, what was seen, a fix."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.outcome import Failure, Result, Success

__all__ = (
    "CLOCK_SLACK",
    "MAX_NAMED",
    "NEEDED_GIT",
    "OUTBOX_SLACK",
    "Finding",
    "Level",
    "UnreadableVersion",
    "clock_finding",
    "git_finding",
    "outbox_finding",
    "parse_git_version",
    "process_finding",
    "reference_finding",
    "socket_finding",
    "version_finding",
    "worktree_finding",
    "worst",
)

NEEDED_GIT = (2, 31)
"""The first git that reads configuration from indexed environment variables (git-config(1))."""

CLOCK_SLACK: Final = timedelta(minutes=1)
"""How far the clock may be behind what was stored by it."""
OUTBOX_SLACK: Final = timedelta(hours=1)
"""How long an event of a task may wait for a consumer of the outbox."""
MAX_NAMED: Final = 5
"""Names in one finding; the rest are counted."""


class Level(StrEnum):
    FINE = "fine"
    ABSENT = "absent"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """`absent` is something that nobody needs unless they want it."""

    level: Level
    code: str
    subject: str
    seen: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class UnreadableVersion:
    """The text is not what `git version` prints."""


def parse_git_version(text: str) -> Result[tuple[int, int], UnreadableVersion]:
    """Major and minor number of `git version 2.39.5 (vendor)`."""
    found = re.match(r"git version (\d{1,4})\.(\d{1,4})", text)
    return Success((int(found[1]), int(found[2]))) if found else Failure(UnreadableVersion())


def git_finding(version: tuple[int, int] | None, program: str | None) -> Finding:
    """What to say of the git that was found, if one was."""
    if program is None:
        fix = "apt-get install git"
        return Finding(Level.BROKEN, "git_missing", "git", "not installed", fix)
    if version is None:
        return Finding(
            Level.BROKEN, "git_unusable", "git", f"{program} does not run", "Reinstall git."
        )
    seen = f"{program}, version {version[0]}.{version[1]}"
    if version < NEEDED_GIT:
        fix = f"Install git {NEEDED_GIT[0]}.{NEEDED_GIT[1]} or newer."
        return Finding(Level.BROKEN, "git_too_old", "git", seen, fix)
    return Finding(Level.FINE, "git", "git", seen)


def clock_finding(now: datetime, newest: datetime | None) -> Finding:
    """What to say of the clock, by the newest instant that the installation has stored."""
    seen = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    if newest is None or newest - now <= CLOCK_SLACK:
        return Finding(Level.FINE, "clock", "clock", seen)
    behind = f"{seen}, before what was stored at {newest:%Y-%m-%d %H:%M:%S} UTC"
    return Finding(Level.WARNING, "clock_behind", "clock", behind, "timedatectl set-ntp true")


def version_finding(stored: str | None, program: str, pending: int, *, is_copied: bool) -> Finding:
    """What to say of the version that a database names, and of the migrations that it lacks."""
    backup = "kandev serve" if is_copied else "pg_dump, then kandev serve"
    if pending:
        seen = f"{pending} migrations to come, and the database names {stored or 'no version'}"
        return Finding(Level.WARNING, "migrations_pending", "schema", seen, backup)
    if stored != program:
        seen = f"complete, but the database names {stored or 'no version'} and not {program}"
        return Finding(Level.WARNING, "version_not_recorded", "schema", seen, backup)
    return Finding(Level.FINE, "schema", "schema", f"complete, version {program}")


def reference_finding(dangling: Sequence[str], *, is_copied: bool) -> Finding:
    """What to say of the tables that have rows which refer to nothing."""
    if not dangling:
        return Finding(Level.FINE, "references", "references", "every row refers to one there is")
    seen = f"rows refer to nothing in {shortened(dangling)}"
    fix = "Restore a sound backup." if is_copied else "Restore a sound dump with pg_restore."
    return Finding(Level.BROKEN, "references_dangling", "references", seen, fix)


def outbox_finding(now: datetime, oldest: Mapping[str, datetime]) -> Finding:
    """What to say of the consumers of the outbox by the oldest event that waits for each."""
    late = sorted(name for name, at in oldest.items() if now - at > OUTBOX_SLACK)
    if not late:
        return Finding(Level.FINE, "outbox", "outbox", f"{len(oldest)} consumers have some to take")
    seen = f"events wait for more than an hour for {shortened(late)}"
    fix = "Start the server again, and look for these names in `kandev logs`."
    return Finding(Level.WARNING, "outbox_behind", "outbox", seen, fix)


def worktree_finding(folders: Collection[str], tasks: Collection[str]) -> Finding:
    """What to say of the folders of worktrees, each named by its task."""
    orphans = sorted(set(folders) - set(tasks))
    if not orphans:
        seen = f"{len(folders)} tasks have a folder"
        return Finding(Level.FINE, "worktrees", "worktrees", seen)
    seen = f"of no task: {shortened(orphans)}"
    fix = "Look at what is in them, then remove these folders of the home's tasks/."
    return Finding(Level.WARNING, "worktrees_orphaned", "worktrees", seen, fix)


def process_finding(running: Mapping[int, str], ended: Collection[str]) -> Finding:
    """What to say of the processes of executions, each with the execution that it says it is of."""
    left = sorted(pid for pid, execution in running.items() if execution in ended)
    if not left:
        seen = f"{len(running)} processes belong to agents"
        return Finding(Level.FINE, "processes", "processes", seen)
    words = [str(pid) for pid in left]
    seen = f"of executions that ended: {shortened(words)}"
    fix = f"kill {' '.join(words[:MAX_NAMED])}"
    return Finding(Level.WARNING, "processes_left", "processes", seen, fix)


def socket_finding(stale: Collection[str]) -> Finding:
    """What to say of the sockets that nobody listens on."""
    if not stale:
        return Finding(Level.FINE, "sockets", "sockets", "none is left behind")
    seen = f"nobody listens on {shortened(sorted(stale))}"
    fix = "They are removed when the next agent is launched."
    return Finding(Level.WARNING, "sockets_stale", "sockets", seen, fix)


def shortened(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def worst(findings: Sequence[Finding]) -> Level:
    """The worst level found; `fine` of nothing."""
    order = list(Level)
    return max((each.level for each in findings), key=order.index, default=Level.FINE)
