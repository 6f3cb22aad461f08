"""What an examination says of what it finds."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.checkup import (
    CLOCK_SLACK,
    MAX_NAMED,
    NEEDED_GIT,
    OUTBOX_SLACK,
    Finding,
    Level,
    UnreadableVersion,
    clock_finding,
    git_finding,
    outbox_finding,
    parse_git_version,
    process_finding,
    reference_finding,
    socket_finding,
    version_finding,
    worktree_finding,
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


NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("newest", "code"),
    [
        (None, "clock"),
        (NOW - timedelta(days=9), "clock"),
        (NOW + CLOCK_SLACK, "clock"),
        (NOW + CLOCK_SLACK + timedelta(microseconds=1), "clock_behind"),
    ],
)
def test_a_clock_that_is_behind_what_was_stored_by_it_is_told(
    newest: datetime | None, code: str
) -> None:
    assert clock_finding(NOW, newest).code == code


@pytest.mark.parametrize(
    ("oldest", "code"),
    [
        ({}, "outbox"),
        ({"mail": NOW - OUTBOX_SLACK}, "outbox"),
        ({"mail": NOW - OUTBOX_SLACK - timedelta(microseconds=1)}, "outbox_behind"),
    ],
)
def test_a_consumer_that_has_not_taken_an_event_in_time_is_told(
    oldest: dict[str, datetime], code: str
) -> None:
    found = outbox_finding(NOW, oldest)

    assert found.code == code
    assert ("mail" in found.seen) == bool(found.fix) == (code == "outbox_behind")


@pytest.mark.parametrize(
    ("stored", "pending", "is_copied", "code", "fix"),
    [
        ("1", 0, True, "schema", ""),
        ("1", 2, True, "migrations_pending", "kandev serve"),
        ("0.9", 2, False, "migrations_pending", "pg_dump, then kandev serve"),
        ("0.9", 0, True, "version_not_recorded", "kandev serve"),
        (None, 0, False, "version_not_recorded", "pg_dump, then kandev serve"),
    ],
)
def test_a_schema_that_is_not_this_programs_is_told(
    stored: str | None, pending: int, is_copied: bool, code: str, fix: str
) -> None:
    found = version_finding(stored, "1", pending, is_copied=is_copied)

    assert (found.code, found.fix) == (code, fix)


def test_tables_with_rows_that_refer_to_nothing_are_named() -> None:
    assert reference_finding([], is_copied=True).level is Level.FINE
    assert reference_finding(["tasks"], is_copied=True).fix == "Restore a sound backup."
    found = reference_finding(["tasks"], is_copied=False)
    assert (found.level, "tasks" in found.seen, "pg_restore" in found.fix) == (
        Level.BROKEN,
        True,
        True,
    )


def test_folders_and_processes_of_nobody_are_told_by_name() -> None:
    assert (
        worktree_finding(["task_1", "task_2"], {"task_1", "task_2", "task_3"}).code == "worktrees"
    )
    orphaned = worktree_finding(["task_9", "task_1"], {"task_1"})
    assert (orphaned.code, orphaned.seen) == ("worktrees_orphaned", "of no task: task_9")

    assert process_finding({7: "exec_live", 8: "exec_of_another_home"}, {"exec_x"}).fix == ""
    left = process_finding({8: "exec_x", 7: "exec_x", 9: "exec_live"}, {"exec_x"})
    assert (left.code, left.fix) == ("processes_left", "kill 7 8")

    assert socket_finding([]).code == "sockets"
    assert socket_finding(["git-1.sock"]).code == "sockets_stale"


@pytest.mark.parametrize(("count", "more"), [(MAX_NAMED, ""), (MAX_NAMED + 1, " and 1 more")])
def test_a_finding_names_at_most_so_many(count: int, more: str) -> None:
    found = worktree_finding([f"t{number}" for number in range(count)], ())

    assert found.seen == f"of no task: t0, t1, t2, t3, t4{more}"


def test_what_is_wrong_has_a_fix() -> None:
    wrong = [
        clock_finding(NOW, NOW + timedelta(days=1)),
        worktree_finding(["t"], ()),
        process_finding({1: "e"}, {"e"}),
        socket_finding(["s"]),
    ]

    assert {each.level for each in wrong} == {Level.WARNING}
    assert all(each.fix for each in wrong)
