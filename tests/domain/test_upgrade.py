"""Which database is opened, copied and migrated, and which copies are kept."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.outcome import Failure, Success
from domain.upgrade import (
    KEPT_BACKUPS,
    MAX_LABEL,
    AlteredMigration,
    BackupFile,
    Migration,
    NewerDatabase,
    Program,
    Stored,
    UpgradePlan,
    backup_name,
    plan,
    surplus,
)

ONE, TWO = Migration("v0001", "a"), Migration("v0002", "b")
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stored", "version", "expected"),
    [
        (Stored(None, (), has_tables=False), "v1", UpgradePlan(False, (ONE, TWO), True)),
        (Stored(None, (), has_tables=True), "v1", UpgradePlan(True, (ONE, TWO), True)),
        (Stored("v0.9", (ONE, TWO), has_tables=True), "v1.0", UpgradePlan(True, (), True)),
        (Stored("v0.9", (ONE,), has_tables=True), "v1.0", UpgradePlan(True, (TWO,), True)),
        (Stored("v1", (ONE, TWO), has_tables=True), "v1", UpgradePlan(False, (), False)),
        (Stored("v1", (ONE,), has_tables=True), "v1", UpgradePlan(True, (TWO,), False)),
        (Stored("v1", (ONE, TWO), has_tables=True), "dev", UpgradePlan(True, (), True)),
        (Stored("dev", (ONE, TWO), has_tables=True), "0.1", UpgradePlan(True, (), True)),
        (Stored("1.0.0", (ONE, TWO), has_tables=True), "v1", UpgradePlan(True, (), True)),
    ],
)
def test_what_is_done_follows_from_what_the_database_says(
    stored: Stored, version: str, expected: UpgradePlan
) -> None:
    assert plan(stored, Program(version, (ONE, TWO))) == Success(expected)


@pytest.mark.parametrize(
    ("stored", "program"),
    [("v2", "v1"), ("1.10", "1.9"), ("1.0.1", "v1.0"), ("2", "1.9.9")],
)
def test_a_later_release_is_refused_with_both_versions(stored: str, program: str) -> None:
    found = plan(Stored(stored, (ONE, TWO), has_tables=True), Program(program, (ONE, TWO)))

    assert found == Failure(NewerDatabase(stored, program))


@pytest.mark.parametrize("version", ["1", None])
def test_an_unknown_migration_makes_a_database_newer(version: str | None) -> None:
    found = plan(Stored(version, (ONE, TWO), has_tables=True), Program("1", (ONE,)))

    assert found == Failure(NewerDatabase(version or "", "1"))


def test_another_text_of_a_migration_is_refused() -> None:
    found = plan(
        Stored("1", (Migration("v0001", "other"),), has_tables=True), Program("1", (ONE, TWO))
    )

    assert found == Failure(AlteredMigration("v0001"))


@pytest.mark.parametrize(
    ("version", "label"),
    [
        ("v0.9", "v0.9"),
        (None, "pre-meta"),
        ("dev/../foo bar", "dev-..-foo-bar"),
        ("x" * MAX_LABEL, "x" * MAX_LABEL),
        ("x" * (MAX_LABEL + 1), "x" * MAX_LABEL),
    ],
)
def test_a_copy_is_named_by_the_version_it_has(version: str | None, label: str) -> None:
    assert backup_name(version, AT, ()) == f"kandev-{label}-20260102T030405Z.db"


def test_a_copy_is_named_in_utc_and_never_like_another() -> None:
    at = AT.astimezone(timezone(timedelta(hours=-7)))
    first = backup_name("1", at, ())
    second = backup_name("1", at, {first})
    third = backup_name("1", at, {first, second})

    assert [first, second, third] == [
        "kandev-1-20260102T030405Z.db",
        "kandev-1-20260102T030405Z-2.db",
        "kandev-1-20260102T030405Z-3.db",
    ]
    assert surplus(map(BackupFile, (first, second, third), (1, 2, 3))) == [first]


def test_no_more_than_the_newest_are_kept() -> None:
    files = [BackupFile(f"kandev-1-2026010{day}T000000Z.db", 10 - day) for day in range(1, 5)]

    assert surplus(files[:KEPT_BACKUPS]) == []
    assert surplus(files[: KEPT_BACKUPS + 1]) == [files[2].name]
    assert surplus(files) == [files[2].name, files[3].name]


@pytest.mark.parametrize(
    "name",
    [
        "manual-1767323045.db",
        "notes.txt",
        "kandev.db",
        "kandev-1.db",
        "kandev-pre-reset-20260101T000000Z.db",
        "kandev-1-20260101T000000Z.db.partial",
        "xkandev-1-20260101T000000Z.db",
    ],
)
def test_what_was_not_named_by_us_is_never_removed(name: str) -> None:
    assert surplus([BackupFile(name, 0)] * (KEPT_BACKUPS + 3)) == []
