"""`kandev doctor` on an installation whose database is PostgreSQL's."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.sqlite.postgresql.store import open_postgres_store
from adapters.system.clock import SystemClock
from composition.home_examination import examine_contents
from composition.settings import VERSION, Settings, read_settings
from domain.checkup import Finding, Level
from domain.execution import ExecutionState
from tests.contracts.store_examples import Example, stored
from tests.postgres import Postgres
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLE = Example()


@pytest.fixture
async def database(postgres: Postgres) -> AsyncGenerator[str]:
    """A database that a server owns, in which one agent ran and has ended."""
    name = postgres.database()
    async with open_postgres_store(
        postgres.address(name), version=VERSION, clock=SystemClock()
    ) as store:
        await stored(store, EXAMPLE)
        async with store.write() as unit:
            await unit.remove_connection(EXAMPLE.connection.id)
            await unit.put_execution(replace(EXAMPLE.execution, state=ExecutionState.ENDED))
        yield name


def examined(postgres: Postgres, database: str, home: Path) -> dict[str, Finding]:
    settings = settings_of(postgres.address(database).reveal(), home)
    environment = {"XDG_RUNTIME_DIR": str(home)}
    return {each.code: each for each in examine_contents(settings, environment)}


def settings_of(address: str, home: Path) -> Settings:
    return read_settings({"KANDEV_HOME": str(home / "home"), "KANDEV_DATABASE_URL": address})


def wrong(found: dict[str, Finding]) -> dict[str, Finding]:
    return {
        code: each for code, each in found.items() if each.level in {Level.WARNING, Level.BROKEN}
    }


def everything(postgres: Postgres, database: str) -> object:
    return [
        postgres.tell(f"SELECT * FROM {table} ORDER BY 1", database)
        for table in ("kandev_meta", "kandev_migrations", "tasks", "counters", "task_events")
    ]


@requirement("doctor:postgresql")
@requirement("doctor:unchanged")
async def test_a_sound_database_is_looked_into_beside_its_owner_and_not_changed(
    postgres: Postgres, database: str, tmp_path: Path
) -> None:
    before = everything(postgres, database)

    found = examined(postgres, database, tmp_path)

    assert wrong(found) == {}
    assert {"database", "schema", "references", "outbox", "worktrees"} <= set(found)
    assert VERSION in found["schema"].seen
    assert everything(postgres, database) == before


def without_a_version(postgres: Postgres, database: str) -> None:
    postgres.tell("DELETE FROM kandev_meta WHERE key = 'kandev_version'", database)


def without_a_migration(postgres: Postgres, database: str) -> None:
    postgres.tell("DELETE FROM kandev_migrations WHERE revision LIKE 'v0002%'", database)


def of_another_build(postgres: Postgres, database: str) -> None:
    postgres.tell("UPDATE kandev_migrations SET checksum = 'x'", database)


def of_a_later_program(postgres: Postgres, database: str) -> None:
    postgres.tell("UPDATE kandev_meta SET value = '99' WHERE key = 'kandev_version'", database)


def with_a_row_of_nobody(postgres: Postgres, database: str) -> None:
    postgres.tell(
        "SET session_replication_role = replica; "
        "INSERT INTO task_plans VALUES ('gone', 'Plan', '', '2026')",
        database,
    )


def with_a_consumer_that_stands(postgres: Postgres, database: str) -> None:
    postgres.tell("INSERT INTO counters VALUES ('task_events:mail', 0)", database)
    postgres.tell("UPDATE task_events SET at = '2026-01-01T00:00:00.000000+00:00'", database)


@requirement("doctor:postgresql")
@pytest.mark.parametrize(
    ("spoil", "code", "named"),
    [
        (without_a_version, "version_not_recorded", "no version"),
        (without_a_migration, "migrations_pending", "1 migrations"),
        (of_another_build, "database_altered", "v0001"),
        (of_a_later_program, "database_newer", "99"),
        (with_a_row_of_nobody, "references_dangling", "task_plans"),
        (with_a_consumer_that_stands, "outbox_behind", "mail"),
    ],
)
async def test_what_is_wrong_in_the_database_is_told_with_a_fix(
    postgres: Postgres,
    database: str,
    tmp_path: Path,
    spoil: Callable[[Postgres, str], None],
    code: str,
    named: str,
) -> None:
    spoil(postgres, database)

    found = wrong(examined(postgres, database, tmp_path))

    assert list(found) == [code]
    assert named in found[code].seen
    assert found[code].fix


@requirement("doctor:postgresql")
async def test_an_empty_database_has_nothing_wrong_and_is_not_touched(
    postgres: Postgres, tmp_path: Path
) -> None:
    name = postgres.database()

    found = examined(postgres, name, tmp_path)

    assert found["no_database"].level is Level.ABSENT
    assert found["no_database"].fix
    tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
    assert postgres.tell(tables, name) == [(0,)]


@requirement("doctor:postgresql")
@requirement("store:postgresql:address")
async def test_a_server_that_does_not_answer_is_told_without_its_address(tmp_path: Path) -> None:
    settings = settings_of("postgresql://kandev:hunter-2-hunter-2@/x?host=/nowhere", tmp_path)

    found = examine_contents(settings, {"XDG_RUNTIME_DIR": str(tmp_path)})

    assert found[0].code == "database_unusable"
    assert found[0].level is Level.BROKEN
    assert "psql" in found[0].fix
    assert "hunter" not in repr(found)
