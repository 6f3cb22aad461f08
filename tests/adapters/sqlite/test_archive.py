"""Backups on request: made beside a running store, listed, and held against what they should be."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from adapters.sqlite.archive import (
    BackupDamaged,
    NoDatabase,
    Sound,
    UnknownBackup,
    create,
    listed,
    verify,
)
from adapters.sqlite.backup import BackupFailed
from adapters.sqlite.store import open_store
from adapters.sqlite.upgrade import known_migrations
from domain.backup import Origin
from domain.outcome import Failure
from domain.upgrade import AlteredMigration, NewerDatabase, Program
from ports.store import StoreFault
from tests.adapters.sqlite.databases import contents, rows, write
from tests.contracts.store_examples import NOW, Example, stored
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

PROGRAM = Program("1.0", known_migrations())
MADE = "manual-20260102T030405Z.db"

pytestmark = pytest.mark.anyio


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "kandev.db"


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
async def made(database: Path, backups: Path) -> Path:
    """A backup made while the store was open and a unit was writing."""
    async with open_store(
        database, backups=backups, version="1.0", clock=ManualClock(NOW)
    ) as store:
        await stored(store, Example())
        async with store.write() as unit:
            await unit.put_workspace(Example("b").workspace)
            path = create(database, backups, NOW).unwrap()
    return path


@requirement("backup:create")
async def test_a_backup_has_what_was_committed_beside_a_writer(made: Path, backups: Path) -> None:
    assert made == backups / MADE
    assert rows(made, "SELECT id FROM workspaces") == [("ws_a",)]
    assert made.stat().st_mode & 0o777 == 0o600
    assert backups.stat().st_mode & 0o777 == 0o700


@requirement("backup:create")
async def test_backups_of_one_second_are_all_kept(
    made: Path, database: Path, backups: Path
) -> None:
    for _ in range(3):
        create(database, backups, NOW)

    assert {each.name for each in listed(backups)} == {
        MADE,
        *(f"manual-20260102T030405Z-{number}.db" for number in (2, 3, 4)),
    }


@requirement("backup:create")
def test_where_there_is_no_database_none_is_made(database: Path, backups: Path) -> None:
    assert create(database, backups, NOW) == Failure(NoDatabase(str(database)))
    assert contents(database.parent) == {}


@requirement("backup:create")
async def test_a_backup_that_cannot_be_made_leaves_nothing(made: Path, database: Path) -> None:
    in_the_way = database.with_name("in-the-way")
    in_the_way.write_bytes(b"")

    assert create(database, in_the_way, NOW) == Failure(
        BackupFailed(str(in_the_way), StoreFault.UNREADABLE)
    )


@requirement("backup:list")
async def test_only_backups_are_listed_the_newest_first(made: Path, backups: Path) -> None:
    automatic = backups / "kandev-0.9-20250101T000000Z.db"
    automatic.write_bytes(b"12345")
    (backups / "notes.txt").write_bytes(b"theirs")
    (backups / "manual-20250101T000000Z.db.partial").write_bytes(b"half")
    (backups / "replaced-20250101T000000Z.db").symlink_to(made)
    (backups / "manual-20250101T000000Z.db").mkdir()

    found = listed(backups)

    assert [(each.name, each.origin) for each in found] == [
        (automatic.name, Origin.AUTOMATIC),
        (MADE, Origin.MANUAL),
    ]
    assert found[0].size == 5


def test_a_folder_that_is_not_there_has_no_backups(backups: Path) -> None:
    assert listed(backups) == ()


@requirement("backup:verify")
async def test_a_sound_backup_says_what_wrote_it_and_what_is_sealed_in_it(
    made: Path, backups: Path
) -> None:
    before = contents(backups)

    assert verify(backups, MADE, PROGRAM).unwrap() == Sound(made, "1.0", [b"sealed"])
    assert contents(backups) == before


@requirement("backup:verify")
@pytest.mark.parametrize("name", ["random.db", "../kandev.db", "manual-20260101T000000Z.db", ""])
async def test_what_is_no_backup_cannot_be_verified(made: Path, backups: Path, name: str) -> None:
    assert verify(backups, name, PROGRAM) == Failure(UnknownBackup(name))


def cut_short(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-4096])


def something_else(backup: Path) -> None:
    backup.write_bytes(b"PK\x03\x04" * 4096)


def foreign(backup: Path) -> None:
    backup.unlink()
    write(backup, "CREATE TABLE theirs (n)")


def empty(backup: Path) -> None:
    backup.write_bytes(b"")


def dangling(backup: Path) -> None:
    write(backup, "DELETE FROM tasks")


def overwritten(backup: Path) -> None:
    page = rows(backup, "SELECT rootpage FROM sqlite_master WHERE name = 'tasks'")[0][0]
    with backup.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)


@requirement("backup:verify")
@pytest.mark.parametrize(
    "damage", [cut_short, something_else, foreign, empty, dangling, overwritten]
)
async def test_a_damaged_backup_is_told(
    made: Path, backups: Path, damage: Callable[[Path], None]
) -> None:
    damage(made)

    assert verify(backups, MADE, PROGRAM) == Failure(BackupDamaged(MADE))


@requirement("backup:verify")
async def test_a_backup_that_this_program_cannot_open_is_told(made: Path, backups: Path) -> None:
    older = Program("0.9", known_migrations())
    assert verify(backups, MADE, older) == Failure(NewerDatabase("1.0", "0.9"))

    first = known_migrations()[0].revision
    with closing(sqlite3.connect(made)) as driver, driver:
        driver.execute("UPDATE kandev_migrations SET checksum = 'x' WHERE revision = ?", (first,))
    assert verify(backups, MADE, PROGRAM) == Failure(AlteredMigration(first))
