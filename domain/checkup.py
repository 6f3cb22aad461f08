"""What an examination of an installation finds: a level, a stable code, what was seen, a fix."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.outcome import Failure, Result, Success

__all__ = (
    "NEEDED_GIT",
    "Finding",
    "Level",
    "UnreadableVersion",
    "git_finding",
    "parse_git_version",
    "worst",
)

NEEDED_GIT = (2, 31)
"""The first git that reads configuration from indexed environment variables (git-config(1))."""


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


def worst(findings: Sequence[Finding]) -> Level:
    """The worst level found; `fine` of nothing."""
    order = list(Level)
    return max((each.level for each in findings), key=order.index, default=Level.FINE)
