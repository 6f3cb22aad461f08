"""A backup in the place of the database, and everything that may go wrong on the way."""

import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.sqlite import restore as module
from adapters.sqlite.archive import Sound, create, listed, verify
from adapters.sqlite.connection import connect
from adapters.sqlite.restore import RestoreFailed, restore
from adapters.sqlite.store import SqliteStore, open_store
from adapters.sqlite.upgrade import known_migrations
from domain.backup import Origin
from domain.outcome import Failure
from domain.upgrade import Program
from ports.store import StoreFault
from tests.adapters.sqlite.databases import contents, rows
from tests.contracts.store_examples import NOW, Example, stored
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

PROGRAM = Program("1.0", known_migrations())
EXAMPLE = Example()
REPLACED = "replaced-20260102T030405Z.db"

pytestmark = pytest.mark.anyio


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "kandev.db"


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@asynccontextmanager
async def opened(database: Path) -> AsyncGenerator[SqliteStore]:
    async with open_store(
        database, backups=database.parent / "backups", version="1.0", clock=ManualClock(NOW)
    ) as store:
        yield store


@pytest.fixture
async def sound(database: Path, backups: Path) -> Sound:
    """A backup of a task with a live lease; the task was renamed since, and the epoch grew."""
    async with opened(database) as store:
        await stored(store, EXAMPLE)
        async with store.write() as unit:
            await unit.put_lease(EXAMPLE.lease)
            await unit.next_epoch()
        name = create(database, backups, NOW).unwrap().name
        async with store.write() as unit:
            await unit.put_task(replace(EXAMPLE.task, title="Since then"))
            await unit.next_epoch()
    return verify(backups, name, PROGRAM).unwrap()


def titles(database: Path) -> list[str]:
    return [title for (title,) in rows(database, "SELECT title FROM tasks")]


def killed_at(step: str, sound: Sound, database: Path, backups: Path) -> None:
    """A restore in a process of its own that ends where the step would begin."""
    child = os.fork()
    if child == 0:
        setattr(module, step, lambda *_: os._exit(9))
        restore(sound, database, backups, NOW)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


@requirement("backup:restore")
async def test_the_backup_takes_the_place_of_the_database_which_is_kept(
    sound: Sound, database: Path, backups: Path
) -> None:
    kept = restore(sound, database, backups, NOW).unwrap()

    assert kept == backups / REPLACED
    assert titles(kept) == ["Since then"]
    assert titles(database) == ["Sell more"]
    assert database.stat().st_mode & 0o777 == 0o600
    assert {each.origin for each in listed(backups)} == {Origin.MANUAL, Origin.REPLACED}
    assert sorted(each.name for each in database.parent.iterdir()) == ["backups", "kandev.db"]
    async with opened(database) as store, store.read() as state:
        assert await state.task(EXAMPLE.task.id) == EXAMPLE.task


@requirement("backup:restore")
async def test_what_was_replaced_can_be_restored_in_turn(
    sound: Sound, database: Path, backups: Path
) -> None:
    restore(sound, database, backups, NOW)

    back = verify(backups, REPLACED, PROGRAM).unwrap()
    restore(back, database, backups, NOW)

    assert titles(database) == ["Since then"]


@requirement("backup:restore:no-going-back")
async def test_leases_of_the_backup_are_revoked_and_the_epoch_does_not_go_back(
    sound: Sound, database: Path, backups: Path
) -> None:
    restore(sound, database, backups, NOW)

    async with opened(database) as store, store.write() as unit:
        lease = await unit.lease(EXAMPLE.lease.token_hash)
        assert lease == replace(EXAMPLE.lease, revoked_at=NOW)
        assert await unit.next_epoch() == 3


@requirement("backup:restore")
async def test_where_there_is_no_database_nothing_is_kept(
    sound: Sound, database: Path, backups: Path
) -> None:
    database.unlink()

    assert restore(sound, database, backups, NOW).unwrap() is None
    assert titles(database) == ["Sell more"]


@requirement("backup:restore")
async def test_the_files_of_a_database_that_cannot_be_read_are_kept(
    sound: Sound, database: Path, backups: Path
) -> None:
    log = database.with_name("kandev.db-wal")
    database.write_bytes(b"no database" * 1000)
    log.write_bytes(b"no log")

    kept = restore(sound, database, backups, NOW).unwrap()

    assert kept == backups / REPLACED
    assert kept.read_bytes() == b"no database" * 1000
    assert kept.with_name(f"{REPLACED}-wal").read_bytes() == b"no log"
    assert not log.exists()
    assert titles(database) == ["Sell more"]


@requirement("backup:restore:failure")
async def test_a_database_that_somebody_reads_is_left_to_them(
    sound: Sound, database: Path, backups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "connect", lambda path, **how: connect(path, **{**how, "busy": 0}))
    async with opened(database), opened(database) as store, store.read() as state:
        await state.task(EXAMPLE.task.id)

        outcome = restore(sound, database, backups, NOW)

    assert outcome == Failure(RestoreFailed(str(database), StoreFault.BUSY))
    assert titles(database) == ["Since then"]


@requirement("backup:restore:failure")
@pytest.mark.parametrize(
    ("step", "title"),
    [
        ("copy", "Since then"),
        ("_bring_up_to_date", "Since then"),
        ("_keep", "Since then"),
        ("sync_directory", "Sell more"),
    ],
)
async def test_a_restore_that_is_killed_changed_nothing_or_has_happened(
    sound: Sound, database: Path, backups: Path, step: str, title: str
) -> None:
    killed_at(step, sound, database, backups)

    assert titles(database) == [title]
    restore(sound, database, backups, NOW).unwrap()
    assert titles(database) == ["Sell more"]
    assert not list(database.parent.glob("*.restoring*"))


@requirement("backup:restore:failure")
async def test_a_backup_that_went_bad_meanwhile_is_not_restored(
    sound: Sound, database: Path, backups: Path
) -> None:
    sound.path.write_bytes(sound.path.read_bytes()[:4096])
    before = contents(database.parent)

    outcome = restore(sound, database, backups, NOW)

    assert outcome == Failure(RestoreFailed(str(database), StoreFault.DAMAGED))
    assert contents(database.parent) == before


async def test_a_log_of_the_old_database_is_never_replayed_into_the_new_one(
    sound: Sound, database: Path, backups: Path
) -> None:
    with closing(connect(database)) as driver:
        driver.execute("PRAGMA journal_mode=WAL")
        reader = sqlite3.connect(database)
        reader.execute("BEGIN").execute("SELECT * FROM tasks").fetchone()
        driver.execute("UPDATE tasks SET title = 'In the log'")
        log = database.with_name("kandev.db-wal").read_bytes()
        reader.close()
    database.with_name("kandev.db-wal").write_bytes(log)

    restore(sound, database, backups, NOW).unwrap()

    assert titles(database) == ["Sell more"]
