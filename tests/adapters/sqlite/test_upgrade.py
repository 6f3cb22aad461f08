"""Opening databases of every age."""

import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine
from sqlmodel import SQLModel

from adapters.sqlite.store import StoreRefused, open_store
from adapters.sqlite.upgrade import MigrationFailed, Unusable, Upgraded, known_migrations, upgrade
from domain.credential_policy import Mode
from domain.identity import WorkspaceId
from domain.outcome import Failure, failed
from domain.upgrade import AlteredMigration, NewerDatabase, Program
from ports.store import StoreFault
from tests.adapters.sqlite.databases import contents, rows, schema, write
from tests.adapters.sqlite.released import releases
from tests.contracts.store_examples import NOW, Example, stored
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

PROGRAM = Program("1.0", known_migrations())
BOOKKEEPING = {"kandev_meta", "kandev_migrations"}
"""Tables that are ours by other means than migrations."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "kandev.db"


def opened(database: Path, program: Program = PROGRAM) -> Upgraded:
    outcome = upgrade(database, database.parent / "backups", program, NOW)
    assert not failed(outcome), outcome
    return outcome.unwrap()


@requirement("store:upgrade:recorded")
def test_a_new_database_has_every_migration_and_the_version_on_record(database: Path) -> None:
    done = opened(database)

    assert done == Upgraded(None, tuple(m.revision for m in PROGRAM.migrations), True)
    assert rows(database, "SELECT revision, checksum FROM kandev_migrations ORDER BY 1") == list(
        PROGRAM.migrations
    )
    assert dict(rows(database, "SELECT key, value FROM kandev_meta")) == {
        "kandev_version": "1.0",
        "schema_initialized_at": "2026-01-02T03:04:05.678901+00:00",
    }
    assert database.stat().st_mode & 0o777 == 0o600


@requirement("store:upgrade:recorded")
def test_the_migrations_make_what_the_tables_say(database: Path) -> None:
    opened(database)

    engine = create_engine(f"sqlite:///{database}")
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"include_name": lambda name, kind, _: kind != "table" or name not in BOOKKEEPING},
        )
        differences = compare_metadata(context, SQLModel.metadata)
    engine.dispose()

    assert differences == []


@requirement("store:upgrade:recorded")
def test_the_migrations_make_the_constraints_that_the_tables_say(database: Path) -> None:
    opened(database)
    declared = database.with_name("declared.db")
    engine = create_engine(f"sqlite:///{declared}")
    SQLModel.metadata.create_all(engine)
    engine.dispose()

    for name in (table_name for table_name in SQLModel.metadata.tables):
        for pragma in ("table_info", "foreign_key_list", "index_list"):
            question = f"SELECT * FROM pragma_{pragma}('{name}')"
            assert sorted(map(repr, shape(database, pragma, question))) == sorted(
                map(repr, shape(declared, pragma, question))
            ), (name, pragma)


def shape(database: Path, pragma: str, question: str) -> list[tuple[object, ...]]:
    """What a pragma says, without the positions that depend on the order of statements."""
    drop = {"table_info": 1, "foreign_key_list": 2, "index_list": 2}[pragma]
    return [row[drop:] for row in rows(database, question)]


@requirement("store:upgrade:replayed")
def test_a_second_start_changes_nothing(database: Path) -> None:
    opened(database)
    before = contents(database.parent)

    assert opened(database) == Upgraded(None, (), True)
    assert contents(database.parent) == before


@requirement("store:upgrade:recorded")
def test_an_upgrade_keeps_the_time_of_the_first_start(database: Path) -> None:
    opened(database, Program("0.9", PROGRAM.migrations[:1]))

    later = NOW + timedelta(days=1)
    upgrade(database, database.parent / "backups", PROGRAM, later).unwrap()

    began = "SELECT value FROM kandev_meta WHERE key = 'schema_initialized_at'"
    assert rows(database, began) == [(NOW.isoformat(),)]


@requirement("store:upgrade:replayed")
def test_migrations_can_be_applied_to_a_database_that_has_them(database: Path) -> None:
    opened(database)
    write(
        database,
        "INSERT INTO workspaces (id, name, created_at) "
        "VALUES ('w', 'Shop', '2026-01-01T00:00:00.000000+00:00')",
        "INSERT INTO github_workspace_settings (workspace_id, task_git_credentials_mode) "
        "VALUES ('w', 'executor')",
        "DELETE FROM kandev_migrations",
    )
    before = schema(database)

    done = opened(database)

    assert done.applied == tuple(m.revision for m in PROGRAM.migrations)
    assert schema(database) == before
    assert rows(database, "SELECT * FROM github_workspace_settings") == [("w", "executor", 0)]


@requirement("store:workspace:managed")
@pytest.mark.anyio
async def test_workspaces_from_before_the_policy_are_managed(database: Path) -> None:
    opened(database, Program("0.9", PROGRAM.migrations[:1]))
    write(
        database,
        "INSERT INTO workspaces VALUES ('w1', 'Has settings', '2026-01-01T00:00:00.000000+00:00')",
        "INSERT INTO workspaces VALUES ('w2', 'Has none', '2026-01-01T00:00:00.000000+00:00')",
        "INSERT INTO github_workspace_settings VALUES ('w1')",
    )

    async with open_store(
        database, backups=database.parent / "backups", version="1.0", clock=ManualClock()
    ) as store:
        async with store.read() as state:
            found = await state.workspaces(None, 10)
        assert store.upgraded.applied == tuple(m.revision for m in PROGRAM.migrations[1:])
    assert [(each.name, each.mode) for each in found] == [
        ("Has settings", Mode.MANAGED),
        ("Has none", Mode.MANAGED),
    ]


@pytest.mark.anyio
async def test_a_policy_that_nobody_knows_is_not_guessed(database: Path) -> None:
    async with open_store(
        database, backups=database.parent / "backups", version="1.0", clock=ManualClock()
    ) as store:
        example = await stored(store, Example())
        write(database, "UPDATE github_workspace_settings SET task_git_credentials_mode = 'host'")
        async with store.read() as state:
            with pytest.raises(ValueError, match="host"):
                await state.workspace(WorkspaceId(example.workspace.id))


@requirement("store:upgrade:newer")
@pytest.mark.parametrize("stored_version", ["1.0.1", "v2", "1.10", "10"])
def test_a_database_of_a_later_version_is_refused_unchanged(
    database: Path, stored_version: str
) -> None:
    opened(database, Program(stored_version, PROGRAM.migrations))
    before = contents(database.parent)

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert outcome == Failure(NewerDatabase(stored_version, "1.0"))
    assert contents(database.parent) == before


@requirement("store:upgrade:newer")
def test_a_database_with_a_migration_that_is_not_ours_is_refused_unchanged(database: Path) -> None:
    opened(database)
    write(database, "INSERT INTO kandev_migrations VALUES ('v0099_later', 'x', 'y')")
    before = contents(database.parent)

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert outcome == Failure(NewerDatabase("1.0", "1.0"))
    assert contents(database.parent) == before


@requirement("store:upgrade:altered")
def test_a_migration_whose_text_has_changed_is_noticed(database: Path) -> None:
    opened(database)
    write(database, "UPDATE kandev_migrations SET checksum = 'other' WHERE revision LIKE 'v0001%'")
    before = contents(database.parent)

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert outcome == Failure(AlteredMigration("v0001_first_schema"))
    assert contents(database.parent) == before


@requirement("store:upgrade:failure")
def test_a_migration_that_fails_leaves_the_database_as_it_was(database: Path) -> None:
    opened(database, Program("0.9", PROGRAM.migrations[:1]))
    write(
        database,
        "DROP TABLE github_workspace_settings",
        "CREATE VIEW github_workspace_settings AS SELECT id AS workspace_id FROM workspaces",
    )
    before = schema(database)

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert failed(outcome)
    problem = outcome.failure()
    assert isinstance(problem, MigrationFailed)
    assert problem.revision == "v0002_task_git_credentials_mode"
    assert "view" in problem.reason
    assert schema(database) == before
    assert rows(database, "SELECT revision FROM kandev_migrations") == [("v0001_first_schema",)]
    assert rows(database, "SELECT value FROM kandev_meta WHERE key = 'kandev_version'") == [
        ("0.9",)
    ]


@requirement("store:upgrade:failure")
def test_a_row_that_refers_to_nothing_stops_the_upgrade(database: Path) -> None:
    opened(database, Program("0.9", PROGRAM.migrations[:1]))
    write(database, "INSERT INTO github_workspace_settings VALUES ('nobody')")

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert failed(outcome)
    problem = outcome.failure()
    assert isinstance(problem, MigrationFailed)
    assert "github_workspace_settings" in problem.reason
    assert [row[0] for row in rows(database, "SELECT revision FROM kandev_migrations")] == [
        "v0001_first_schema"
    ]


@requirement("store:upgrade:recorded")
def test_a_version_that_cannot_be_recorded_is_tried_again_with_a_copy(database: Path) -> None:
    opened(database, Program("0.9", PROGRAM.migrations))
    write(
        database,
        "CREATE TRIGGER no BEFORE UPDATE ON kandev_meta BEGIN SELECT RAISE(FAIL, 'no'); END",
    )

    first, second = opened(database), opened(database)

    assert (first.version_recorded, second.version_recorded) == (False, False)
    assert first.backup is not None
    assert second.backup is not None
    assert first.backup != second.backup


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"this is no database, it is a letter" * 40, StoreFault.DAMAGED)],
)
def test_a_file_that_is_no_database_is_refused_unchanged(
    database: Path, content: bytes, fault: StoreFault
) -> None:
    database.write_bytes(content)

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert outcome == Failure(Unusable(str(database), fault))
    assert contents(database.parent) == {"kandev.db": content}


def test_a_directory_in_place_of_the_database_is_refused(database: Path) -> None:
    database.mkdir()

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert outcome == Failure(Unusable(str(database), StoreFault.UNREADABLE))


def test_a_database_whose_version_cannot_be_read_is_refused(database: Path) -> None:
    write(database, "CREATE TABLE kandev_meta (other TEXT)")
    before = contents(database.parent)

    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)

    assert outcome == Failure(Unusable(str(database), StoreFault.UNREADABLE))
    assert contents(database.parent) == before


@pytest.mark.anyio
async def test_a_store_that_cannot_be_opened_says_why(database: Path) -> None:
    opened(database, Program("9", PROGRAM.migrations))

    with pytest.raises(StoreRefused) as refused:
        async with open_store(
            database, backups=database.parent / "backups", version="1.0", clock=ManualClock()
        ):
            pass

    assert refused.value.problem == NewerDatabase("9", "1.0")


@requirement("store:upgrade:import")
def test_alembic_is_loaded_only_where_there_is_something_to_apply(database: Path) -> None:
    script = f"""
import asyncio, sys
import sqlite3
from pathlib import Path
from adapters.sqlite.store import open_store
from adapters.system.clock import SystemClock

async def main():
    root = Path({str(database.parent)!r})
    async with open_store(root / "kandev.db", backups=root, version="1", clock=SystemClock()):
        pass

asyncio.run(main())
print("alembic" in sys.modules)
"""

    loaded = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=50
        ).stdout.strip()
        for _ in range(2)
    ]

    assert loaded == ["True", "False"]


def test_every_migration_has_a_number_of_its_own_and_no_gap() -> None:
    numbers = [int(each.revision[1:5]) for each in known_migrations()]

    assert numbers == list(range(1, len(numbers) + 1))


@requirement("store:upgrade:every-schema")
def test_every_migration_says_what_its_day_stored_in_each_column(tmp_path: Path) -> None:
    newest = releases(tmp_path)[-1]
    empty: list[str] = []
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    for (table,) in rows(newest, names):
        for (column,) in rows(newest, f"SELECT name FROM pragma_table_info('{table}')"):
            if rows(newest, f"SELECT count({column}) FROM {table}") == [(0,)]:
                empty.append(f"{table}.{column}")

    assert empty == [], "released_rows.sql has no value for these"


@requirement("audit:append-only")
def test_the_database_refuses_to_change_an_entry_of_the_audit_log(tmp_path: Path) -> None:
    newest = releases(tmp_path)[-1]

    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        write(newest, "UPDATE audit_log SET actor = 'somebody else'")

    assert rows(newest, "SELECT actor FROM audit_log") == [("user:owner",)]
