"""Every schema that was ever released is brought to the newest one with all that was stored."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adapters.sqlite.postgresql.upgrade import upgrade as upgrade_postgresql
from adapters.sqlite.store import open_store
from adapters.sqlite.upgrade import Upgraded, known_migrations, upgrade
from domain.credential_policy import Mode
from domain.identity import ExecutionId, SessionId, TaskId, WorkspaceId
from domain.outcome import Failure, failed
from domain.principal import HOME_OWNER
from domain.upgrade import AlteredMigration, NewerDatabase, Program
from tests.adapters.sqlite import released
from tests.adapters.sqlite.databases import contents, rows, schema, write
from tests.contracts.store_examples import NOW
from tests.fakes.clock import ManualClock
from tests.postgres import Postgres
from tests.requirements import requirement

PROGRAM = Program("1.0", known_migrations())
REVISIONS = tuple(each.revision for each in PROGRAM.migrations)
COUNTS = range(1, len(REVISIONS) + 1)
FIRST, NEWEST = 1, len(REVISIONS)
BOOKKEEPING = {"kandev_meta", "kandev_migrations"}

Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]  # Any: what the database has in a column


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "kandev.db"


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    return released.releases(tmp_path_factory.mktemp("releases"))


@pytest.fixture(scope="module")
def newest_schema(tmp_path_factory: pytest.TempPathFactory) -> object:
    """What a new database has."""
    made = tmp_path_factory.mktemp("newest") / "kandev.db"
    assert not failed(upgrade(made, made.with_name("unused"), PROGRAM, NOW))
    return schema(made)


@pytest.fixture
def left(database: Path, releases: Sequence[Path], count: int) -> Path:
    """The database of a release: the first one as it was kept, a later one made anew."""
    if count == FIRST:
        released.first(database)
    else:
        database.write_bytes(releases[count - 1].read_bytes())
    return database


def opened(database: Path) -> Upgraded:
    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)
    assert not failed(outcome), outcome
    return outcome.unwrap()


def tables(database: Path) -> dict[str, Table]:
    """The columns and the rows of every table that migrations made."""
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    found: dict[str, Table] = {}
    for (table,) in rows(database, names):
        if table not in BOOKKEEPING:
            asked = rows(database, f"SELECT name FROM pragma_table_info('{table}')")
            columns = tuple(name for (name,) in asked)
            found[table] = (columns, stored(database, table, columns))
    return found


def stored(database: Path, table: str, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    found = rows(database, f"SELECT {', '.join(columns)} FROM {table}")
    return sorted(found, key=repr)


def assert_kept(database: Path, before: dict[str, Table]) -> None:
    """That every column of every row is as it was."""
    assert before
    for table, (columns, kept) in before.items():
        assert stored(database, table, columns) == kept, table


@requirement("store:upgrade:every-schema")
def test_the_first_schema_that_was_kept_is_the_one_that_its_migration_makes(
    database: Path, releases: Sequence[Path]
) -> None:
    released.first(database)

    assert schema(database) == schema(releases[0])
    assert tables(database) == tables(releases[0])
    assert rows(database, "SELECT revision, checksum FROM kandev_migrations") == [
        PROGRAM.migrations[0]
    ]


@requirement("store:upgrade:every-schema")
@pytest.mark.parametrize("count", COUNTS)
def test_an_upgrade_from_every_schema_keeps_every_row_and_makes_a_copy_before(
    left: Path, count: int, newest_schema: object
) -> None:
    before, old = tables(left), schema(left)

    done = opened(left)

    assert done.applied == REVISIONS[count:]
    assert_kept(left, before)
    assert schema(left) == newest_schema
    assert rows(left, "PRAGMA foreign_key_check") == []
    assert done.backup is not None
    assert done.backup.name == f"kandev-{released.VERSION}-20260102T030405Z.db"
    assert (schema(done.backup), tables(done.backup)) == (old, before)
    assert opened(left) == Upgraded(None, (), version_recorded=True)


@requirement("store:upgrade:replayed")
@pytest.mark.parametrize("count", COUNTS)
def test_every_schema_can_be_replayed_in_a_database_that_lost_its_ledger(
    left: Path, count: int
) -> None:
    write(left, "DROP TABLE kandev_migrations", "DROP TABLE kandev_meta")
    before = tables(left)

    done = opened(left)

    assert done.applied == REVISIONS
    assert done.backup is not None
    assert done.backup.name.startswith("kandev-pre-meta-")
    assert_kept(left, before)


@requirement("store:upgrade:altered")
@pytest.mark.parametrize("count", COUNTS)
def test_another_text_of_any_migration_stops_the_upgrade(left: Path, count: int) -> None:
    altered = REVISIONS[count - 1]
    change = f"UPDATE kandev_migrations SET checksum = 'x' WHERE revision = '{altered}'"
    write(left, change)
    before = contents(left.parent)

    outcome = upgrade(left, left.parent / "backups", PROGRAM, NOW)

    assert outcome == Failure(AlteredMigration(altered))
    assert contents(left.parent) == before


@requirement("store:upgrade:newer")
@pytest.mark.parametrize("count", range(1, len(REVISIONS)))
def test_every_earlier_program_refuses_the_newest_schema_unchanged(
    database: Path, releases: Sequence[Path], count: int
) -> None:
    database.write_bytes(releases[-1].read_bytes())
    before = contents(database.parent)
    earlier = Program("0.0.0", PROGRAM.migrations[:count])

    for _ in range(2):
        outcome = upgrade(database, database.parent / "backups", earlier, NOW)

        assert outcome == Failure(NewerDatabase(released.VERSION, "0.0.0"))
        assert contents(database.parent) == before


@requirement("store:upgrade:every-schema")
@pytest.mark.anyio
async def test_what_the_first_schema_stored_is_read_by_this_program(database: Path) -> None:
    released.first(database)

    async with (
        open_store(
            database, backups=database.parent / "backups", version="1.0", clock=ManualClock(NOW)
        ) as store,
        store.read() as state,
    ):
        workspaces = await state.workspaces(None, 10)
        connections = await state.connections(WorkspaceId("w1"))
        repositories = await state.repositories(WorkspaceId("w1"))
        tasks = await state.tasks(WorkspaceId("w1"), None, 10)
        happened = await state.events(SessionId("s1"), 0, 10)
        turns = await state.turns(SessionId("s1"))
        leases = await state.leases(ExecutionId("e1"))
        sessions = await state.sessions(TaskId("t1"))

    assert [(each.name, each.owner, each.mode) for each in workspaces] == [
        ("Shop", HOME_OWNER, Mode.MANAGED),
        ("Größer", HOME_OWNER, Mode.MANAGED),
    ]
    assert [(each.host, each.revision) for each in connections] == [("forge.example", 2)]
    assert [each.local_path for each in repositories] == [None, "/srv/here"]
    assert [(each.title, len(each.repositories)) for each in tasks] == [("Sell", 2), ("", 0)]
    assert [each.sequence for each in happened] == [1, 2]
    assert [each.stop_reason for each in turns] == ["end_turn", None]
    assert [each.revision for each in leases] == [2]
    assert [each.version for each in sessions] == [3, 0]


def test_the_copy_of_the_first_schema_is_a_whole_database_of_its_own(database: Path) -> None:
    released.first(database)
    backup = opened(database).backup
    assert backup is not None

    with closing(sqlite3.connect(f"file:{backup}?mode=ro", uri=True)) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        version = driver.execute("SELECT value FROM kandev_meta WHERE key = 'kandev_version'")
        assert version.fetchall() == [(released.VERSION,)]


def postgresql_tables(postgres: Postgres, name: str) -> dict[str, Table]:
    asked = postgres.tell(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = current_schema ORDER BY table_name, ordinal_position",
        name,
    )
    found: dict[str, Table] = {}
    for table in sorted({table for table, _ in asked} - BOOKKEEPING):
        columns = tuple(column for other, column in asked if other == table)
        found[table] = (columns, stored_in_postgresql(postgres, name, table, columns))
    return found


def stored_in_postgresql(
    postgres: Postgres, name: str, table: str, columns: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    return sorted(postgres.tell(f"SELECT {', '.join(columns)} FROM {table}", name), key=repr)


@pytest.fixture(scope="module")
def postgresql_releases(postgres: Postgres) -> Sequence[str]:
    """The database that each schema left, the first one's first."""
    made = [postgres.database()]
    for count, migration in enumerate(PROGRAM.migrations, 1):
        program = Program(released.VERSION, PROGRAM.migrations[:count])
        outcome = upgrade_postgresql(postgres.address(made[-1]), program, NOW)
        assert not failed(outcome), outcome
        postgres.tell(released.in_postgresql(released.ROWS.get(migration.revision, "")), made[-1])
        if count < NEWEST:
            made.append(postgres.database(made[-1]))
    return made


@requirement("store:postgresql:every-schema")
@pytest.mark.parametrize(
    ("count", "ledger"),
    [*((count, "kept") for count in COUNTS), (FIRST, "lost"), (NEWEST, "lost")],
)
def test_an_upgrade_from_every_schema_keeps_every_row_in_postgresql(
    postgres: Postgres, postgresql_releases: Sequence[str], count: int, ledger: str
) -> None:
    name = postgres.database(postgresql_releases[count - 1])
    if ledger == "lost":
        postgres.tell("DROP TABLE kandev_migrations", name)
    before = postgresql_tables(postgres, name)

    outcome = upgrade_postgresql(postgres.address(name), PROGRAM, NOW)

    assert not failed(outcome), outcome
    assert outcome.unwrap().applied == (REVISIONS[count:] if ledger == "kept" else REVISIONS)
    for table, (columns, kept) in before.items():
        assert kept, table
        assert stored_in_postgresql(postgres, name, table, columns) == kept, table
    newest = postgresql_tables(postgres, postgresql_releases[-1])
    assert columns_of(postgresql_tables(postgres, name)) == columns_of(newest)


def columns_of(found: dict[str, Table]) -> dict[str, tuple[str, ...]]:
    return {table: columns for table, (columns, _) in found.items()}
