"""What is particular to the store on PostgreSQL: its schema, its owner, and what its errors mean."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool
from sqlmodel import SQLModel
from structlog.testing import capture_logs

from adapters.sqlite.postgresql import pool
from adapters.sqlite.postgresql.pool import own
from adapters.sqlite.postgresql.store import PostgresStore, open_postgres_store
from adapters.sqlite.postgresql.upgrade import NAME, upgrade
from adapters.sqlite.store import StoreRefused
from adapters.sqlite.upgrade import (
    DatabaseHeld,
    MigrationFailed,
    OpenProblem,
    Unusable,
    Upgraded,
    known_migrations,
)
from domain.credential_policy import Mode
from domain.outcome import failed
from domain.secret import Secret
from domain.upgrade import AlteredMigration, NewerDatabase, Program
from ports.store import StoreFault, StoreUnavailable
from tests.contracts.store_examples import NOW, Example, stored
from tests.contracts.stores import VERSION
from tests.eventually import eventually
from tests.fakes.clock import ManualClock
from tests.postgres import Postgres
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PROGRAM = Program(VERSION, known_migrations())
REVISIONS = tuple(each.revision for each in PROGRAM.migrations)
EXAMPLE = Example()


def opened(address: Secret, program: Program = PROGRAM) -> Upgraded:
    outcome = upgrade(address, program, NOW)
    assert not failed(outcome), outcome
    return outcome.unwrap()


@asynccontextmanager
async def store_in(postgres: Postgres, database: str) -> AsyncGenerator[PostgresStore]:
    async with open_postgres_store(
        postgres.address(database), version=VERSION, clock=ManualClock(NOW)
    ) as store:
        yield store


@pytest.fixture
def database(postgres: Postgres, empty_store: str) -> str:
    """A database with the schema."""
    return postgres.database(empty_store)


@pytest.fixture
def bare(postgres: Postgres) -> str:
    return postgres.database()


@pytest.fixture
async def store(postgres: Postgres, database: str) -> AsyncGenerator[PostgresStore]:
    async with store_in(postgres, database) as made:
        yield made


SHAPE = """SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name
    FROM information_schema.columns WHERE table_schema = current_schema ORDER BY 1, 2"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema ORDER BY 1"
CHECKS = """SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = current_schema::regnamespace ORDER BY 1, 2"""


def schema(postgres: Postgres, database: str) -> list[list[tuple[object, ...]]]:
    return [postgres.tell(each, database) for each in (SHAPE, INDEXES, CHECKS)]


@requirement("store:postgresql:schema")
def test_a_new_database_has_every_migration_and_the_version_on_record(
    postgres: Postgres, bare: str
) -> None:
    done = opened(postgres.address(bare))

    assert done == Upgraded(None, REVISIONS, version_recorded=True)
    assert postgres.tell("SELECT revision, checksum FROM kandev_migrations", bare) == list(
        PROGRAM.migrations
    )
    assert postgres.tell("SELECT value FROM kandev_meta ORDER BY key", bare) == [
        (VERSION,),
        ("2026-01-02T03:04:05.678901+00:00",),
    ]


@requirement("store:postgresql:schema")
def test_the_migrations_make_what_the_tables_say(postgres: Postgres, database: str) -> None:
    engine = create_engine(
        "kandev+psycopg://",
        creator=lambda: psycopg.connect(postgres.address(database).reveal()),
        poolclass=NullPool,
    )
    ours = {"kandev_meta", "kandev_migrations"}
    with engine.connect() as connection:
        told = {"include_name": lambda name, kind, _: kind != "table" or name not in ours}
        context = MigrationContext.configure(connection, opts={**told, "compare_type": False})
        assert compare_metadata(context, SQLModel.metadata) == []


@requirement("store:postgresql:schema")
def test_numbers_have_64_bits_and_text_is_ordered_by_its_bytes(
    postgres: Postgres, database: str
) -> None:
    theirs = f"({SHAPE.replace('ORDER BY 1, 2', '')} AND table_name NOT LIKE 'kandev%')"
    question = f"SELECT DISTINCT data_type, collation_name FROM {theirs} AS shape ORDER BY 1"

    assert postgres.tell(question, database) == [
        ("bigint", None),
        ("bytea", None),
        ("character varying", "C"),
    ]


@requirement("store:postgresql:schema")
def test_migrations_can_be_applied_to_a_database_that_has_them(
    postgres: Postgres, database: str
) -> None:
    before = schema(postgres, database)
    assert opened(postgres.address(database)) == Upgraded(None, (), version_recorded=True)
    postgres.tell("DELETE FROM kandev_migrations", database)

    assert opened(postgres.address(database)).applied == REVISIONS
    assert schema(postgres, database) == before


@requirement("store:postgresql:no-copy")
@pytest.mark.parametrize("released", [1, 5, len(REVISIONS) - 1])
def test_an_older_database_is_migrated_without_a_copy_and_pg_dump_is_named(
    postgres: Postgres, bare: str, database: str, released: int
) -> None:
    opened(postgres.address(bare), Program("0.9", PROGRAM.migrations[:released]))

    with capture_logs() as told:
        done = opened(postgres.address(bare))

    assert done == Upgraded(None, REVISIONS[released:], version_recorded=True)
    assert [each["remedy"] for each in told] == ["pg_dump"]
    assert schema(postgres, bare) == schema(postgres, database)


@requirement("store:postgresql:schema")
async def test_workspaces_from_before_the_policy_are_managed(postgres: Postgres, bare: str) -> None:
    opened(postgres.address(bare), Program("0.9", PROGRAM.migrations[:1]))
    for name in ("w1", "w2"):
        born = "'2026-01-01T00:00:00.000000+00:00'"
        postgres.tell(f"INSERT INTO workspaces VALUES ('{name}', 'Shop', {born})", bare)
    postgres.tell("INSERT INTO github_workspace_settings VALUES ('w1')", bare)

    for _ in range(2):
        async with store_in(postgres, bare) as store, store.read() as state:
            found = await state.workspaces(None, 10)
        assert [(each.id, each.mode) for each in found] == [
            ("w1", Mode.MANAGED),
            ("w2", Mode.MANAGED),
        ]


def newer(postgres: Postgres, database: str) -> OpenProblem:
    postgres.tell("UPDATE kandev_meta SET value = '9' WHERE key = 'kandev_version'", database)
    return NewerDatabase("9", VERSION)


def later(postgres: Postgres, database: str) -> OpenProblem:
    postgres.tell("INSERT INTO kandev_migrations VALUES ('v0099_later', 'x', 'y')", database)
    return NewerDatabase(VERSION, VERSION)


def altered(postgres: Postgres, database: str) -> OpenProblem:
    command = f"UPDATE kandev_migrations SET checksum = 'x' WHERE revision = '{REVISIONS[0]}'"
    postgres.tell(command, database)
    return AlteredMigration(REVISIONS[0])


@requirement("store:postgresql:refused")
@pytest.mark.parametrize("spoil", [newer, later, altered])
async def test_a_database_that_is_not_this_programs_is_refused_unchanged(
    postgres: Postgres, database: str, spoil: object
) -> None:
    assert callable(spoil)
    problem = spoil(postgres, database)
    before = schema(postgres, database)

    with pytest.raises(StoreRefused) as refused:
        async with store_in(postgres, database):
            pass

    assert refused.value.problem == problem
    assert schema(postgres, database) == before


@requirement("store:postgresql:refused")
def test_a_migration_that_fails_leaves_the_database_as_it_was(
    postgres: Postgres, bare: str
) -> None:
    opened(postgres.address(bare), Program("0.9", PROGRAM.migrations[:1]))
    postgres.tell("DROP TABLE github_workspace_settings", bare)
    view = "CREATE VIEW github_workspace_settings AS SELECT id AS workspace_id FROM workspaces"
    postgres.tell(view, bare)
    before = schema(postgres, bare)

    outcome = upgrade(postgres.address(bare), PROGRAM, NOW)

    assert failed(outcome)
    problem = outcome.failure()
    assert isinstance(problem, MigrationFailed)
    assert problem.revision == "v0002_task_git_credentials_mode"
    assert schema(postgres, bare) == before
    assert postgres.tell("SELECT revision FROM kandev_migrations", bare) == [REVISIONS[:1]]


@requirement("store:postgresql:address")
async def test_a_database_that_cannot_be_reached_is_told_without_its_address() -> None:
    address = Secret("postgresql://kandev:hunter-2-hunter-2@/x?host=/nowhere")

    with pytest.raises(StoreRefused) as refused:
        async with open_postgres_store(address, version=VERSION, clock=ManualClock()):
            pass

    assert refused.value.problem == Unusable(NAME, StoreFault.UNREADABLE)
    assert refused.value.__suppress_context__
    assert "hunter" not in repr(refused.value)


@requirement("store:postgresql:owner")
async def test_a_database_has_one_owner_at_a_time(
    postgres: Postgres, store: PostgresStore, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "HELD_SECONDS", 0.05)

    with pytest.raises(StoreRefused) as refused:
        async with store_in(postgres, database):
            pass

    assert refused.value.problem == DatabaseHeld()
    await stored(store, EXAMPLE)


def break_every_connection(postgres: Postgres, database: str) -> None:
    question = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = "
    assert all(done for (done,) in postgres.tell(f"{question}'{database}'"))


@requirement("store:postgresql:broken")
async def test_connections_that_the_server_ended_are_made_anew(
    postgres: Postgres, store: PostgresStore, database: str
) -> None:
    await stored(store, EXAMPLE)
    async with store.read() as one, store.read() as two:
        await one.task(EXAMPLE.task.id)
        await two.task(EXAMPLE.task.id)

    break_every_connection(postgres, database)

    async with store.read() as one, store.read() as two:
        assert await one.task(EXAMPLE.task.id) == await two.task(EXAMPLE.task.id) == EXAMPLE.task
    async with store.write() as unit:
        await unit.put_task(replace(EXAMPLE.task, title="Later"))


@requirement("store:postgresql:broken")
async def test_a_unit_whose_connection_breaks_is_undone_and_the_next_one_writes(
    postgres: Postgres, store: PostgresStore, database: str
) -> None:
    await stored(store, EXAMPLE)

    with pytest.raises(StoreUnavailable):  # noqa: PT012 -- the unit is what raises
        async with store.write() as unit:
            await unit.put_task(replace(EXAMPLE.task, title="Lost"))
            break_every_connection(postgres, database)

    async with store.write() as unit:
        assert await unit.task(EXAMPLE.task.id) == EXAMPLE.task
        await unit.put_task(replace(EXAMPLE.task, title="Stored"))


@requirement("store:postgresql:owner")
async def test_who_lost_the_database_to_another_owner_does_not_write(
    postgres: Postgres, store: PostgresStore, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "HELD_SECONDS", 0.05)
    break_every_connection(postgres, database)
    other = await own(postgres.address(database))
    try:
        with pytest.raises(StoreUnavailable) as busy:
            async with store.write():
                pass
    finally:
        await other.close()

    assert busy.value.fault is StoreFault.BUSY
    await stored(store, EXAMPLE)


@requirement("store:unit:all-or-nothing")
async def test_a_unit_cancelled_within_a_statement_leaves_nothing_and_holds_up_nobody(
    postgres: Postgres, store: PostgresStore, database: str
) -> None:
    await stored(store, EXAMPLE)
    with psycopg.connect(postgres.address(database).reveal()) as other:
        other.execute("SELECT * FROM workspaces FOR UPDATE")

        async def hang() -> None:
            async with store.write() as unit:
                await unit.put_task(replace(EXAMPLE.task, title="Half"))
                await unit.put_workspace(replace(EXAMPLE.workspace, name="Half"))

        hanging = asyncio.create_task(hang())
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        await eventually(lambda: postgres.tell(waiting) == [(1,)])
        hanging.cancel()
        await asyncio.wait({hanging})

    assert hanging.cancelled()
    async with store.write() as unit:
        assert await unit.task(EXAMPLE.task.id) == EXAMPLE.task
        assert await unit.workspace(EXAMPLE.workspace.id) == EXAMPLE.workspace


@requirement("store:unit:all-or-nothing")
async def test_what_follows_a_failure_that_was_caught_is_not_stored(
    postgres: Postgres, store: PostgresStore, database: str
) -> None:
    await stored(store, EXAMPLE)
    postgres.tell(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    break_every_connection(postgres, database)

    with pytest.raises(StoreUnavailable) as read_only:  # noqa: PT012 -- the unit is what raises
        async with store.write() as unit:
            with pytest.raises(StoreUnavailable):
                await unit.put_workspace(replace(EXAMPLE.workspace, name="Half"))

    assert read_only.value.fault is StoreFault.READ_ONLY


async def test_a_broken_constraint_is_not_taken_for_a_failure_of_the_world(
    store: PostgresStore,
) -> None:
    with pytest.raises(psycopg.IntegrityError):
        async with store.write() as unit:
            await unit.put_task(EXAMPLE.task)


@requirement("store:outbox:one-event")
async def test_no_cascade_reaches_a_task(
    postgres: Postgres, store: PostgresStore, database: str
) -> None:
    await stored(store, EXAMPLE)

    for owner in ("workspaces", "repositories"):
        with pytest.raises(psycopg.IntegrityError):
            postgres.tell(f"DELETE FROM {owner}", database)


@requirement("store:postgresql:text")
async def test_a_nul_which_postgresql_cannot_store_becomes_its_symbol(
    store: PostgresStore,
) -> None:
    await stored(store, EXAMPLE)
    async with store.write() as unit:
        await unit.put_task(replace(EXAMPLE.task, title="a\0b"))

    async with store.read() as state:
        task = await state.task(EXAMPLE.task.id)
    assert task is not None
    assert task.title == "a\N{SYMBOL FOR NULL}b"


@requirement("audit:append-only")
def test_the_database_refuses_to_change_an_entry_of_the_audit_log(
    postgres: Postgres, database: str
) -> None:
    columns = "at, deed, actor, subject, detail"
    postgres.tell(f"INSERT INTO audit_log ({columns}) VALUES ('a', 'b', 'c', 'd', '')", database)

    with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
        postgres.tell("UPDATE audit_log SET actor = 'somebody else'", database)
