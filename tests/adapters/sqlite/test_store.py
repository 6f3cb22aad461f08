"""What the store does when the world around its file is hard."""

import asyncio
import sqlite3
import stat
import threading
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import LargeBinary
from sqlmodel import SQLModel
from typing_extensions import override

from adapters.sqlite import checkpointer, pool
from adapters.sqlite.checkpointer import Checkpointer, checkpoint
from adapters.sqlite.connection import connect
from adapters.sqlite.sealed import SOURCES
from adapters.sqlite.statement import change, remove
from adapters.sqlite.store import SqliteStore, open_store
from adapters.sqlite.tables import TaskRepositoryRow, TaskRow, table
from ports.store import StoreFault, StoreUnavailable
from tests.adapters.sqlite.databases import rows, write
from tests.contracts.store_examples import NOW, Example, events, stored
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "kandev.db"


@pytest.fixture
async def store(database: Path) -> AsyncGenerator[SqliteStore]:
    async with open_store(
        database, backups=database.parent / "backups", version="1", clock=ManualClock(NOW)
    ) as opened:
        yield opened


async def test_an_open_database_keeps_a_log_and_leaves_none_when_closed(database: Path) -> None:
    async with open_store(
        database, backups=database.parent, version="1", clock=ManualClock(NOW)
    ) as store:
        await stored(store, Example())
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in database.parent.iterdir()}
        assert modes == {"kandev.db": 0o600, "kandev.db-wal": 0o600, "kandev.db-shm": 0o600}

    assert [each.name for each in database.parent.iterdir()] == ["kandev.db"]


async def test_a_copy_that_was_put_in_place_of_the_database_keeps_a_log_again(
    database: Path,
) -> None:
    async with open_store(
        database, backups=database.parent, version="1", clock=ManualClock(NOW)
    ) as store:
        await stored(store, Example())
    write(database, "PRAGMA journal_mode=DELETE")

    async with open_store(
        database, backups=database.parent, version="1", clock=ManualClock(NOW)
    ) as store:
        assert rows(database, "PRAGMA journal_mode") == [("wal",)]
        async with store.read() as state:
            assert await state.task(Example().task.id) == Example().task


async def test_a_broken_constraint_is_not_taken_for_a_failure_of_the_world(
    store: SqliteStore,
) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        async with store.write() as unit:
            await unit.put_task(Example().task)


@requirement("store:write:other-process")
async def test_a_writer_of_another_process_is_waited_for_and_stops_nobody_else(
    store: SqliteStore, database: Path
) -> None:
    example = await stored(store, Example())
    written = asyncio.Event()

    async def write_after() -> None:
        async with store.write() as unit:
            await unit.put_workspace(replace(example.workspace, name="After"))
        written.set()

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE workspaces SET name = 'Theirs'")
            group.create_task(write_after())
            for _ in range(20):
                async with store.read() as state:
                    assert await state.workspace(example.workspace.id) == example.workspace
                await asyncio.sleep(0)
            assert not written.is_set()
            other.execute("COMMIT")
        await written.wait()

    assert rows(database, "SELECT name FROM workspaces") == [("After",)]


@requirement("store:write:other-process")
async def test_a_unit_that_waited_long_enough_says_that_the_store_is_busy(
    store: SqliteStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "WAIT_SECONDS", 0.01)

    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable) as foreign:
            async with store.write():
                pass
        other.execute("ROLLBACK")
    async with store.write():
        with pytest.raises(StoreUnavailable) as own:
            async with store.write():
                pass
    async with store.write() as unit:
        await unit.put_workspace(Example().workspace)

    assert (foreign.value.fault, own.value.fault) == (StoreFault.BUSY, StoreFault.BUSY)


@requirement("store:read:consistent")
async def test_readers_beyond_the_bound_wait_for_one_to_end(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [store.read() for _ in range(pool.MAX_READERS)]
    for each in held:
        await each.__aenter__()
    monkeypatch.setattr(pool, "WAIT_SECONDS", 0.01)
    with pytest.raises(StoreUnavailable) as refused:
        async with store.read():
            pass
    monkeypatch.undo()

    async def look() -> int:
        async with store.read() as state:
            return len(await state.workspaces(None, 1))

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        waiting = [group.create_task(look()) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(each.done() for each in waiting)
        waiting[0].cancel()
        for each in held:
            await each.__aexit__(None, None, None)

    assert refused.value.fault is StoreFault.BUSY
    assert [each.result() for each in waiting[1:]] == [0, 0]
    async with asyncio.timeout(10):
        again = [store.read() for _ in range(pool.MAX_READERS)]
        for each in again:
            await each.__aenter__()
        for each in again:
            await each.__aexit__(None, None, None)


async def test_a_reader_cannot_write(store: SqliteStore) -> None:
    async with store.read() as state:
        connection = state._on
        with pytest.raises(StoreUnavailable) as refused:
            await connection.run(remove(TaskRow), {"id": "x"})

    assert refused.value.fault is StoreFault.READ_ONLY


@requirement("store:disk:full")
async def test_a_unit_in_which_the_disk_was_full_cannot_go_on(store: SqliteStore) -> None:
    example = await stored(store, Example())
    driver = store._pool._writer._driver
    (pages,) = driver.execute("PRAGMA page_count").fetchone()

    with pytest.raises(StoreUnavailable) as ended:  # noqa: PT012 -- the unit is what raises
        async with store.write() as unit:
            driver.execute(f"PRAGMA max_page_count={pages}")
            with pytest.raises(StoreUnavailable):
                await unit.append_events(
                    example.session.id, example.execution.id, events(range(1, 999))
                )
            driver.execute("PRAGMA max_page_count=1000000")
            with pytest.raises(StoreUnavailable):
                await unit.put_task(replace(example.task, title="Alone"))

    assert ended.value.fault is StoreFault.DISK_FULL
    async with store.read() as state:
        assert await state.task(example.task.id) == example.task


@requirement("store:disk:full")
async def test_a_full_disk_undoes_the_unit_and_leaves_a_store_that_works(
    store: SqliteStore,
) -> None:
    example = await stored(store, Example())
    driver = store._pool._writer._driver
    (pages,) = driver.execute("PRAGMA page_count").fetchone()
    driver.execute(f"PRAGMA max_page_count={pages}")

    with pytest.raises(StoreUnavailable) as full:  # noqa: PT012 -- the unit is what raises
        async with store.write() as unit:
            await unit.put_task(replace(example.task, title="Lost"))
            await unit.append_events(
                example.session.id, example.execution.id, events(range(1, 999))
            )
    driver.execute("PRAGMA max_page_count=1000000")

    assert full.value.fault is StoreFault.DISK_FULL
    async with store.write() as unit:
        assert await unit.task(example.task.id) == example.task
        await unit.append_events(example.session.id, example.execution.id, events(range(1, 999)))
    async with store.read() as state:
        assert len(await state.events(example.session.id, 0, 9999)) == 998
        assert len(await state.task_events(0, 9)) == 1


async def test_a_damaged_database_is_named_as_such(store: SqliteStore, database: Path) -> None:
    example = await stored(store, Example())
    with closing(connect(database)) as driver:
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = driver.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'tasks'"
        ).fetchone()
    with database.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)

    with pytest.raises(StoreUnavailable) as damaged:
        async with store.read() as state:
            await state.tasks(example.workspace.id, None, 10)

    assert damaged.value.fault is StoreFault.DAMAGED


@requirement("store:outbox:one-event")
@pytest.mark.parametrize("row", [TaskRow, TaskRepositoryRow])
async def test_no_statement_reaches_a_task_past_the_unit_of_work(
    store: SqliteStore, row: type[TaskRow]
) -> None:
    async with store.write() as unit:
        for statement in (change(row), remove(row)):
            with pytest.raises(RuntimeError):
                await unit._run(statement, {})
            with pytest.raises(RuntimeError):
                await unit._run_many(statement, [])


@requirement("store:outbox:one-event")
async def test_no_cascade_reaches_a_task(store: SqliteStore, database: Path) -> None:
    await stored(store, Example())

    with closing(connect(database)) as driver:
        for owner in ("workspaces", "repositories"):
            with pytest.raises(sqlite3.IntegrityError):
                driver.execute(f"DELETE FROM {owner}")


@requirement("store:log:bounded")
async def test_a_log_that_has_grown_is_truncated_when_nobody_reads_it(
    store: SqliteStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = database.with_name("kandev.db-wal")
    monkeypatch.setattr(checkpointer, "LINGER_SECONDS", 60.0)
    example = await stored(store, Example())
    with closing(connect(database, busy=0)) as driver:
        checkpoint(driver)
        below = log.stat().st_size
        monkeypatch.setattr(checkpointer, "MAX_LOG_PAGES", 0)
        async with store.read() as state:
            await state.workspace(example.workspace.id)
            async with store.write() as unit:
                await unit.put_task(replace(example.task, title="Later"))
            checkpoint(driver)
            assert await state.task(example.task.id) == example.task
            while_read = log.stat().st_size
        checkpoint(driver)

    assert 0 < below <= while_read
    assert log.stat().st_size == 0
    async with store.read() as state:
        assert await state.task(example.task.id) == replace(example.task, title="Later")


@requirement("store:log:bounded")
async def test_a_commit_is_moved_into_the_database_by_the_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpointer, "LINGER_SECONDS", 0.0)
    moved = asyncio.Event()
    loop = asyncio.get_running_loop()
    real = checkpointer.checkpoint

    def observed(driver: sqlite3.Connection) -> None:
        real(driver)
        loop.call_soon_threadsafe(moved.set)

    monkeypatch.setattr(checkpointer, "checkpoint", observed)
    database = tmp_path / "kandev.db"
    async with open_store(database, backups=tmp_path, version="1", clock=ManualClock(NOW)) as store:
        example = await stored(store, Example())
        async with asyncio.timeout(10):
            await moved.wait()
        alone = tmp_path / "alone.db"
        alone.write_bytes(database.read_bytes())

    assert rows(alone, "SELECT id FROM tasks") == [(example.task.id,)]


def test_a_checkpointer_that_had_nothing_to_do_stops_at_once(tmp_path: Path) -> None:
    database = tmp_path / "kandev.db"
    write(database, "CREATE TABLE t (n)")
    idle = Checkpointer(connect(database))

    idle.start()
    idle.stop()

    assert not idle._thread.is_alive()


def test_a_checkpointer_that_is_stopped_while_it_takes_up_work_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpointer, "LINGER_SECONDS", 0.0)
    database = tmp_path / "kandev.db"
    write(database, "CREATE TABLE t (n)")
    busy = Checkpointer(connect(database))

    class StoppedMeanwhile(threading.Event):
        @override
        def clear(self) -> None:
            busy._stopped.set()
            self.set()
            super().clear()

    busy._dirty = StoppedMeanwhile()
    busy.start()
    busy.committed()
    busy._thread.join(10)

    stopped = not busy._thread.is_alive()
    busy.stop()
    assert stopped


async def test_a_state_that_is_stored_and_unknown_is_an_error(
    store: SqliteStore, database: Path
) -> None:
    example = await stored(store, Example())
    write(database, "UPDATE tasks SET state = 'lost'")

    async with store.read() as state:
        with pytest.raises(KeyError, match="lost"):
            await state.task(example.task.id)


def test_every_column_of_bytes_is_listed_as_sealed_or_is_a_hash() -> None:
    blobs = {
        (each.name, column.name)
        for each in SQLModel.metadata.tables.values()
        for column in each.columns
        if isinstance(column.type, LargeBinary)
    }
    sealed = {(table(source.row).name, source.column) for source in SOURCES}

    assert blobs - sealed == {("credential_leases", "token_hash")}
    assert sealed <= blobs
