"""A start that is killed while it migrates leaves the old database, and the next one completes."""

import itertools
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from adapters.sqlite.backup import is_intact
from adapters.sqlite.upgrade import Upgraded, upgrade
from domain.outcome import failed
from tests.adapters.sqlite import released
from tests.adapters.sqlite.databases import contents, rows, schema
from tests.adapters.sqlite.mortal_upgrade import PROGRAM
from tests.contracts.store_examples import NOW
from tests.requirements import requirement
from tests.soak import SOAKING

ROOT = Path(__file__).parents[3]
STEP = 1 if SOAKING else 6
"""From one statement that is the last one to the next that is tried."""


@contextmanager
def mortal(home: Path) -> Generator[tuple[IO[str], IO[str]]]:
    """Its stdin and stdout; it has ended, and its child with it, when the block has."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.sqlite.mortal_upgrade", str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdin, process.stdout
        finally:
            process.stdin.close()
            process.wait(timeout=60)


def killed_before(stdin: IO[str], stdout: IO[str], statement: int) -> bool:
    stdin.write(f"{statement}\n")
    stdin.flush()
    return stdout.readline() == "killed\n"


def opened(database: Path) -> Upgraded:
    outcome = upgrade(database, database.parent / "backups", PROGRAM, NOW)
    assert not failed(outcome), outcome
    return outcome.unwrap()


def kept(database: Path) -> list[tuple[object, ...]]:
    """Some of what the first schema stored, in columns that every schema has."""
    return [
        *rows(database, "SELECT id, name, created_at FROM workspaces ORDER BY id"),
        *rows(database, "SELECT id, title, prompt, state FROM tasks ORDER BY id"),
        *rows(database, "SELECT session_id, sequence, body FROM session_events ORDER BY 1, 2"),
        *rows(database, "SELECT id, sealed FROM github_workspace_connections ORDER BY id"),
    ]


@requirement("store:upgrade:killed")
@pytest.mark.soak
def test_a_start_killed_at_any_statement_of_the_migrations_leaves_the_old_schema(
    tmp_path: Path,
) -> None:
    first = tmp_path / "first.db"
    released.first(first)
    stored, old = kept(first), schema(first)
    newest = tmp_path / "newest.db"
    newest.write_bytes(first.read_bytes())
    opened(newest)
    home = tmp_path / "home"
    home.mkdir()
    database = home / "kandev.db"
    killed = 0

    with mortal(home) as (stdin, stdout):
        for statement in itertools.count(1, STEP):
            for each in home.glob("kandev.db*"):
                each.unlink()
            database.write_bytes(first.read_bytes())

            ended = killed_before(stdin, stdout, statement)

            killed += ended
            assert is_intact(database)
            assert schema(database) == (old if ended else schema(newest))
            assert kept(database) == stored
            assert opened(database).version_recorded
            assert (schema(database), kept(database)) == (schema(newest), stored)
            before = contents(home)
            assert opened(database) == Upgraded(None, (), version_recorded=True)
            assert contents(home) == before
            if not ended:
                break

    assert killed > 1
