"""Looking at what a home keeps and what is around it, for `kandev doctor`; nothing is changed."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from adapters.home.private_file import OwnedFile
from adapters.home.sockets import stale_sockets
from adapters.process.spawn import EXECUTION_MARKER
from adapters.secrets.keyring import unlock
from adapters.sqlite.checkup import Contents, look_into
from adapters.sqlite.upgrade import Unusable, known_migrations
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition import start_sentences
from composition.settings import VERSION, Settings
from composition.start_problem import Told
from domain.checkup import (
    Finding,
    Level,
    clock_finding,
    outbox_finding,
    process_finding,
    reference_finding,
    socket_finding,
    version_finding,
    worktree_finding,
)
from domain.outcome import Result, failed
from domain.upgrade import AlteredMigration, NewerDatabase, Program

__all__ = ("examine_contents",)

_PROC: Final = Path("/proc")


def examine_contents(
    settings: Settings, environment: Mapping[str, str], *, quick: bool = False
) -> Sequence[Finding]:
    """The database, the key, the clock, and worktrees, sockets and processes of nobody."""
    now = datetime.now(UTC)
    home = settings.home
    sockets = socket_finding(_stale(home, environment))
    looked = _look(settings, quick=quick)
    if looked is None:
        return [
            Finding(Level.ABSENT, "no_database", "database", "none yet", "kandev serve"),
            clock_finding(now, None),
            sockets,
        ]
    if failed(looked):
        return [_unusable(settings, looked.failure()), clock_finding(now, None), sockets]
    contents = looked.unwrap()
    is_copied = settings.database is None
    oldest = {name: untaken.oldest for name, untaken in contents.untaken.items()}
    return [
        Finding(Level.FINE, "database", "database", _sound(settings)),
        version_finding(contents.version, VERSION, contents.pending, is_copied=is_copied),
        reference_finding(contents.dangling, is_copied=is_copied),
        outbox_finding(now, oldest),
        examine_key(home / "secret.key", contents),
        clock_finding(now, contents.newest),
        worktree_finding([each.name for each in folders(home / "tasks")], contents.tasks),
        process_finding(dict(marked()), contents.ended),
        sockets,
    ]


Problem = Unusable | NewerDatabase | AlteredMigration


def _look(settings: Settings, *, quick: bool) -> Result[Contents, Problem] | None:
    """Into the database of these settings; None when there is none yet."""
    program = Program(VERSION, known_migrations())
    if settings.database is None:
        database = settings.home / "kandev.db"
        if not database.exists():
            return None
        return look_into(database, program, quick=quick)
    # psycopg takes its time to import: a home with SQLite does without.
    from adapters.sqlite.postgresql.checkup import look_into_postgresql  # noqa: PLC0415

    return look_into_postgresql(settings.database, program)


def _unusable(settings: Settings, problem: Problem) -> Finding:
    told = start_sentences.store(problem)
    if settings.database is None or not isinstance(problem, Unusable):
        return broken("database", told)
    fix = "Start PostgreSQL, and see with psql that it answers at KANDEV_DATABASE_URL."
    return Finding(Level.BROKEN, told.code, "database", told.detail, fix)


def _sound(settings: Settings) -> str:
    if settings.database is None:
        return f"{settings.home / 'kandev.db'} is sound"
    return "PostgreSQL answers at KANDEV_DATABASE_URL"


def examine_key(file: Path, contents: Contents) -> Finding:
    """Whether the key opens what is sealed; one that nothing needs yet is not made."""
    if not contents.sealed and not file.exists():
        return Finding(Level.ABSENT, "no_key", "key", "none yet", "kandev serve")
    unlocked = unlock(OwnedFile(file), SystemIds(SystemClock()), contents.sealed)
    if failed(unlocked):
        return broken("key", start_sentences.keys(unlocked.failure()))
    return Finding(Level.FINE, "key", "key", f"opens {len(contents.sealed)} stored secrets")


def broken(subject: str, told: Told) -> Finding:
    return Finding(Level.BROKEN, told.code, subject, told.detail, told.remedy)


def folders(directory: Path) -> Iterator[Path]:
    if directory.is_dir():
        yield from (each for each in directory.iterdir() if each.is_dir())


def marked() -> Iterator[tuple[int, str]]:
    """The processes that we may look into and that say which execution they are of."""
    name = os.fsencode(f"{EXECUTION_MARKER}=")
    for process in _PROC.iterdir():
        if not process.name.isdigit():
            continue
        with suppress(OSError):
            for variable in (process / "environ").read_bytes().split(b"\0"):
                if variable.startswith(name):
                    yield int(process.name), os.fsdecode(variable.removeprefix(name))


def _stale(home: Path, environment: Mapping[str, str]) -> Sequence[str]:
    if not home.exists():
        return ()
    return stale_sockets(home.resolve(), environment, Path(tempfile.gettempdir()).resolve())
