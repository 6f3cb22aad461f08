"""Copies made before a database is migrated."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adapters.sqlite.backup import BackupFailed, copy, is_intact
from adapters.sqlite.upgrade import known_migrations, upgrade
from domain.outcome import Failure, failed
from domain.upgrade import Program
from ports.store import StoreFault
from tests.adapters.sqlite.databases import contents, rows, write
from tests.contracts.store_examples import NOW
from tests.permission_probe import permissions_enforced
from tests.requirements import requirement

MIGRATIONS = known_migrations()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "kandev.db"


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def start(database: Path, version: str) -> Path | None:
    outcome = upgrade(database, database.parent / "backups", Program(version, MIGRATIONS), NOW)
    assert not failed(outcome), outcome
    return outcome.unwrap().backup


def aged(backups: Path, count: int) -> list[str]:
    """Automatic copies of long ago, the oldest first."""
    backups.mkdir()
    names = [f"kandev-v0.{n}-20250101T00000{n}Z.db" for n in range(count)]
    for age, name in enumerate(names):
        (backups / name).write_bytes(b"old")
        os.utime(backups / name, (1_000_000 + age, 1_000_000 + age))
    return names


def damage(database: Path) -> None:
    """Make a page of a table unreadable, which a copy has to read."""
    write(
        database,
        "PRAGMA journal_mode=DELETE",
        *(f"INSERT INTO counters VALUES ('{n:0900}', 1)" for n in range(60)),
    )
    page = rows(database, "SELECT rootpage FROM sqlite_master WHERE name = 'counters'")[0][0]
    with database.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)


@requirement("store:backup:when")
def test_a_new_database_and_one_of_the_same_version_are_not_copied(
    database: Path, backups: Path
) -> None:
    assert start(database, "0.9") is None
    assert start(database, "0.9") is None
    assert not backups.exists()


@requirement("store:backup:when")
def test_a_database_of_another_version_is_copied_once(database: Path, backups: Path) -> None:
    start(database, "v0.9")
    made = start(database, "v1.0")
    assert start(database, "v1.0") is None

    assert made == backups / "kandev-v0.9-20260102T030405Z.db"
    assert list(backups.iterdir()) == [made]


@requirement("store:backup:when")
def test_a_database_with_tables_and_no_version_is_copied(database: Path, backups: Path) -> None:
    write(database, "CREATE TABLE theirs (n)", "INSERT INTO theirs VALUES (7)")

    made = start(database, "v1.0")

    assert made == backups / "kandev-pre-meta-20260102T030405Z.db"
    assert rows(made, "SELECT n FROM theirs") == [(7,)]
    assert rows(made, "SELECT name FROM sqlite_master") == [("theirs",)]


@requirement("store:backup:when")
def test_a_database_that_lacks_a_migration_is_copied_even_when_the_version_is_the_same(
    database: Path,
) -> None:
    upgrade(database, database.parent / "backups", Program("dev", MIGRATIONS[:1]), NOW)

    assert start(database, "dev") is not None


@requirement("store:backup:whole")
def test_a_copy_has_what_is_still_in_the_log_and_is_its_owners_alone(
    database: Path, backups: Path
) -> None:
    start(database, "0.9")
    with closing(sqlite3.connect(database, isolation_level=None)) as driver:
        driver.execute("PRAGMA wal_autocheckpoint=0")
        driver.execute("INSERT INTO counters VALUES ('kept', 1)")
        driver.execute("BEGIN IMMEDIATE")
        driver.execute("INSERT INTO counters VALUES ('uncommitted', 1)")
        target = database.with_name("copy.db")

        copy(database, target)

    assert is_intact(target)
    assert rows(target, "SELECT name FROM counters") == [("kept",)]
    assert target.stat().st_mode & 0o777 == 0o600


@requirement("store:backup:whole")
def test_the_directory_of_copies_is_closed_to_others(database: Path, backups: Path) -> None:
    backups.mkdir(mode=0o755)
    start(database, "0.9")
    start(database, "1.0")

    assert backups.stat().st_mode & 0o777 == 0o700


@requirement("store:backup:whole")
def test_what_a_killed_copy_left_does_not_stop_the_next(database: Path, backups: Path) -> None:
    start(database, "v0.9")
    backups.mkdir()
    (backups / "kandev-v0.9-20260102T030405Z.db.partial").write_bytes(b"half")

    made = start(database, "v1.0")

    assert made is not None
    assert list(backups.iterdir()) == [made]
    assert is_intact(made)


@requirement("store:backup:whole")
def test_a_damaged_page_is_found_and_no_copy_is_left(database: Path, backups: Path) -> None:
    start(database, "v0.9")
    damage(database)
    before = database.read_bytes()

    outcome = upgrade(database, backups, Program("v1.0", MIGRATIONS), NOW)

    assert outcome == Failure(BackupFailed(str(backups), StoreFault.DAMAGED))
    assert list(backups.iterdir()) == []
    assert database.read_bytes() == before


@requirement("store:backup:kept")
def test_the_newest_two_are_kept_and_what_others_put_there_is_not_touched(
    database: Path, backups: Path
) -> None:
    start(database, "v1")
    names = aged(backups, 3)
    (backups / "manual-1.db").write_bytes(b"theirs")
    (backups / "notes.txt").write_bytes(b"theirs")
    (backups / "kandev-pre-reset-20240101T000000Z.db").write_bytes(b"theirs")
    (backups / "kandev-x-20240101T000000Z.db").mkdir()

    made = start(database, "v2")

    assert made is not None
    assert {each.name for each in backups.iterdir()} == {
        made.name,
        names[2],
        "manual-1.db",
        "notes.txt",
        "kandev-pre-reset-20240101T000000Z.db",
        "kandev-x-20240101T000000Z.db",
    }


@requirement("store:backup:kept")
def test_two_copies_within_a_second_have_different_names(database: Path, backups: Path) -> None:
    start(database, "v1")
    first = start(database, "v2")
    write(database, "UPDATE kandev_meta SET value = 'v1' WHERE key = 'kandev_version'")

    second = start(database, "v2")

    assert first == backups / "kandev-v1-20260102T030405Z.db"
    assert second == backups / "kandev-v1-20260102T030405Z-2.db"


@requirement("store:backup:failure")
def test_a_start_that_cannot_copy_stops_with_everything_unchanged(
    database: Path, backups: Path
) -> None:
    start(database, "v1")
    backups.write_bytes(b"in the way")
    before = contents(database.parent)

    outcome = upgrade(database, backups, Program("v2", MIGRATIONS), NOW)

    assert outcome == Failure(BackupFailed(str(backups), StoreFault.UNREADABLE))
    assert contents(database.parent) == before


@requirement("store:backup:kept")
def test_a_copy_that_cannot_be_removed_does_not_stop_the_start(
    database: Path, backups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(database, "v1")
    names = aged(backups, 3)
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path.parent == backups and path.name in names:
            raise PermissionError(path)
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)

    made = start(database, "v2")

    assert made is not None
    assert {each.name for each in backups.iterdir()} == {made.name, *names}


@requirement("store:backup:failure")
def test_a_copy_that_fails_removes_no_older_one(database: Path, backups: Path) -> None:
    start(database, "v1")
    names = aged(backups, 3)
    damage(database)

    outcome = upgrade(database, backups, Program("v2", MIGRATIONS), NOW)

    assert outcome == Failure(BackupFailed(str(backups), StoreFault.DAMAGED))
    assert {each.name for each in backups.iterdir()} == set(names)


@requirement("store:backup:failure")
def test_a_folder_of_copies_that_cannot_be_written_stops_the_start(
    database: Path, backups: Path
) -> None:
    upgrade(database, backups, Program("v1", MIGRATIONS[:1]), NOW).unwrap()
    database.parent.chmod(0o500)
    before = contents(database.parent)

    with permissions_enforced(database.parent.parent):
        outcome = upgrade(database, backups, Program("v2", MIGRATIONS), NOW)
    database.parent.chmod(0o700)

    assert outcome == Failure(BackupFailed(str(backups), StoreFault.READ_ONLY))
    assert contents(database.parent) == before
