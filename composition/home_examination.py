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
from adapters.sqlite.upgrade import known_migrations
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition import start_sentences
from composition.settings import VERSION, Settings
from composition.start_problem import Told
from domain.checkup import (
    Finding,
    Level,
    clock_finding,
    process_finding,
    socket_finding,
    worktree_finding,
)
from domain.outcome import failed
from domain.upgrade import Program

__all__ = ("examine_contents",)

_PROC: Final = Path("/proc")


def examine_contents(settings: Settings, environment: Mapping[str, str]) -> Sequence[Finding]:
    """The database, the key, the clock, and worktrees, sockets and processes of nobody."""
    now = datetime.now(UTC)
    home = settings.home
    sockets = socket_finding(_stale(home, environment))
    database = home / "kandev.db"
    if settings.database is not None:
        seen = "PostgreSQL, at KANDEV_DATABASE_URL; its own tools examine it"
        return [
            Finding(Level.FINE, "database", "database", seen),
            clock_finding(now, None),
            sockets,
        ]
    if not database.exists():
        seen = "none yet"
        fix = "kandev serve"
        return [
            Finding(Level.ABSENT, "no_database", "database", seen, fix),
            clock_finding(now, None),
            sockets,
        ]
    looked = look_into(database, Program(VERSION, known_migrations()))
    if failed(looked):
        told = start_sentences.store(looked.failure())
        return [broken("database", told), clock_finding(now, None), sockets]
    contents = looked.unwrap()
    return [
        sound(database, contents),
        examine_key(home / "secret.key", contents),
        clock_finding(now, contents.newest),
        worktree_finding([each.name for each in folders(home / "tasks")], contents.tasks),
        process_finding(dict(marked()), contents.ended),
        sockets,
    ]


def sound(database: Path, contents: Contents) -> Finding:
    pending = f", {contents.pending} migrations to come" if contents.pending else ""
    return Finding(Level.FINE, "database", "database", f"{database} is sound{pending}")


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
