"""What an examination says of the git that it finds."""

import pytest

from domain.checkup import (
    NEEDED_GIT,
    Finding,
    Level,
    UnreadableVersion,
    git_finding,
    parse_git_version,
    worst,
)
from domain.outcome import Failure, Success


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("git version 2.39.5\n", (2, 39)),
        ("git version 2.39.5 (Apple Git-154)", (2, 39)),
        ("git version 2.31", (2, 31)),
        ("git version 3.0.rc1", (3, 0)),
    ],
)
def test_a_version_is_read_as_git_prints_it(text: str, version: tuple[int, int]) -> None:
    assert parse_git_version(text) == Success(version)


@pytest.mark.parametrize("text", ["", "git version", "git version two", "hub version 2.39.5"])
def test_another_text_is_no_version(text: str) -> None:
    assert parse_git_version(text) == Failure(UnreadableVersion())


@pytest.mark.parametrize(
    ("version", "program", "level", "code"),
    [
        (None, None, Level.BROKEN, "git_missing"),
        (None, "/usr/bin/git", Level.BROKEN, "git_unusable"),
        ((NEEDED_GIT[0], NEEDED_GIT[1] - 1), "/usr/bin/git", Level.BROKEN, "git_too_old"),
        (NEEDED_GIT, "/usr/bin/git", Level.FINE, "git"),
        ((3, 0), "/usr/bin/git", Level.FINE, "git"),
    ],
)
def test_a_git_that_does_not_do_comes_with_a_fix(
    version: tuple[int, int] | None, program: str | None, level: Level, code: str
) -> None:
    finding = git_finding(version, program)

    assert (finding.level, finding.code) == (level, code)
    assert bool(finding.fix) == (level is Level.BROKEN)


def test_the_worst_level_decides() -> None:
    found = [Finding(level, "code", "subject", "seen") for level in (Level.FINE, Level.WARNING)]

    assert worst(found) is Level.WARNING
    assert worst([]) is Level.FINE
