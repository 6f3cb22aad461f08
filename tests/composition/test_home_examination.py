"""`kandev doctor` on homes with something wrong."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adapters.home.sockets import socket_directory
from composition.holding import held_home, keys, opened
from composition.home_examination import examine_contents
from composition.settings import Settings, read_settings
from domain.checkup import Finding, Level
from domain.execution import ExecutionState
from tests.adapters.sqlite.databases import contents, rows, write
from tests.contracts.store_examples import Example, stored
from tests.requirements import requirement

EXAMPLE = Example(f"doctor{os.getpid()}")
"""Its execution is of this process alone: what another one runs is not its own."""
HEALTHY = [
    "database",
    "schema",
    "references",
    "outbox",
    "key",
    "clock",
    "worktrees",
    "processes",
    "sockets",
]


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """With a runtime directory whose path leaves room for a socket's."""
    with TemporaryDirectory(prefix="kd-") as runtime:
        yield {"XDG_RUNTIME_DIR": runtime}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home in which one agent ran and has ended; its key is made."""
    made = read_settings({"KANDEV_HOME": str(tmp_path / "home")})

    async def prepare() -> None:
        with held_home(made) as (home, _):
            async with opened(made, home) as store:
                await keys(home, store)
                await stored(store, EXAMPLE)
                async with store.write() as unit:
                    await unit.remove_connection(EXAMPLE.connection.id)
                    ended = replace(EXAMPLE.execution, state=ExecutionState.ENDED)
                    await unit.put_execution(ended)

    asyncio.run(prepare())
    return made


def wrong(settings: Settings, environment: dict[str, str]) -> dict[str, Finding]:
    found = examine_contents(settings, environment)
    return {each.code: each for each in found if each.level not in {Level.FINE, Level.ABSENT}}


@requirement("doctor:unchanged")
def test_a_sound_home_has_nothing_wrong_and_is_not_changed(
    settings: Settings, environment: dict[str, str]
) -> None:
    (settings.home / "tasks" / EXAMPLE.task.id).mkdir()
    before = contents(settings.home)

    assert [each.code for each in examine_contents(settings, environment)] == HEALTHY
    assert contents(settings.home) == before
    assert list(Path(environment["XDG_RUNTIME_DIR"]).iterdir()) == []


@requirement("doctor:unchanged")
def test_a_home_that_is_not_there_is_not_made(tmp_path: Path, environment: dict[str, str]) -> None:
    settings = read_settings({"KANDEV_HOME": str(tmp_path / "none")})

    found = examine_contents(settings, environment)

    assert [each.code for each in found] == ["no_database", "clock", "sockets"]
    assert not settings.home.exists()


def damaged(home: Path) -> None:
    write(home / "kandev.db", "PRAGMA journal_mode=DELETE")
    page = rows(home / "kandev.db", "SELECT rootpage FROM sqlite_master WHERE name = 'tasks'")
    with (home / "kandev.db").open("r+b") as file:
        file.seek((page[0][0] - 1) * 4096)
        file.write(b"\xff" * 4096)


def newer(home: Path) -> None:
    write(home / "kandev.db", "UPDATE kandev_meta SET value = '99' WHERE key = 'kandev_version'")


def without_key(home: Path) -> None:
    write(home / "kandev.db", "INSERT INTO agentctl VALUES (1, '/s', 1, 1, x'01')")
    (home / "secret.key").unlink()


def with_another_key(home: Path) -> None:
    write(home / "kandev.db", "INSERT INTO agentctl VALUES (1, '/s', 1, 1, x'01')")


def with_an_open_key(home: Path) -> None:
    (home / "secret.key").chmod(0o644)


def from_the_future(home: Path) -> None:
    write(home / "kandev.db", "UPDATE tasks SET created_at = '2999-01-01T00:00:00.000000+00:00'")


def without_a_version(home: Path) -> None:
    write(home / "kandev.db", "DELETE FROM kandev_meta WHERE key = 'kandev_version'")


def without_a_migration(home: Path) -> None:
    write(home / "kandev.db", "DELETE FROM kandev_migrations WHERE revision LIKE 'v0002%'")


def with_a_row_of_nobody(home: Path) -> None:
    write(home / "kandev.db", "INSERT INTO task_plans VALUES ('gone', 'P', '', '2026')")


def with_a_consumer_that_stands(home: Path) -> None:
    write(
        home / "kandev.db",
        "INSERT INTO counters VALUES ('task_events:mail', 0)",
        "UPDATE task_events SET at = '2026-01-01T00:00:00.000000+00:00'",
    )


@requirement("doctor:home")
@pytest.mark.parametrize(
    ("spoil", "code", "level"),
    [
        (damaged, "database_unusable", Level.BROKEN),
        (newer, "database_newer", Level.BROKEN),
        (without_key, "key_missing", Level.BROKEN),
        (with_another_key, "key_unknown", Level.BROKEN),
        (with_an_open_key, "file_exposed", Level.BROKEN),
        (from_the_future, "clock_behind", Level.WARNING),
        (without_a_version, "version_not_recorded", Level.WARNING),
        (without_a_migration, "migrations_pending", Level.WARNING),
        (with_a_row_of_nobody, "references_dangling", Level.BROKEN),
        (with_a_consumer_that_stands, "outbox_behind", Level.WARNING),
    ],
)
def test_what_is_wrong_is_told_with_a_fix(
    settings: Settings,
    environment: dict[str, str],
    spoil: Callable[[Path], None],
    code: str,
    level: Level,
) -> None:
    spoil(settings.home)

    found = wrong(settings, environment)

    assert list(found) == [code]
    assert found[code].level is level
    assert found[code].fix


@requirement("doctor:home")
def test_a_quick_look_finds_a_damaged_table(
    settings: Settings, environment: dict[str, str]
) -> None:
    damaged(settings.home)

    found = {each.code for each in examine_contents(settings, environment, quick=True)}

    assert "database_unusable" in found


@requirement("doctor:orphans")
def test_what_belongs_to_nobody_is_told(settings: Settings, environment: dict[str, str]) -> None:
    (settings.home / "tasks" / "task_gone").mkdir()
    runtime = Path(environment["XDG_RUNTIME_DIR"])
    directory = socket_directory(settings.home.resolve(), environment, runtime).unwrap()
    with socket.socket(socket.AF_UNIX) as left, socket.socket(socket.AF_UNIX) as listening:
        left.bind(str(directory / "left.sock"))
        listening.bind(str(directory / "served.sock"))
        listening.listen()
        idle = [sys.executable, "-I", "-S", "-c", "print(flush=True); input()"]
        mark = {"KANDEV_EXECUTION_ID": EXAMPLE.execution.id}
        with subprocess.Popen(
            idle, env=mark, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            found = wrong(settings, environment)
            process.communicate(b"\n", timeout=20)

    assert set(found) == {"worktrees_orphaned", "processes_left", "sockets_stale"}
    assert "task_gone" in found["worktrees_orphaned"].seen
    assert found["processes_left"].fix == f"kill {process.pid}"
    assert found["sockets_stale"].seen == "nobody listens on left.sock"
