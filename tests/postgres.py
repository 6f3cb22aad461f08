"""A PostgreSQL server of the tests' own: in a temporary directory, on a unix socket, and gone at
their end.

PostgreSQL refuses to run as root, so root starts it as `nobody`; it ends with whoever started it.
"""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from domain.secret import Secret

__all__ = ("Postgres", "running_postgres")

_DEBIAN = Path("/usr/lib/postgresql")
_SECONDS = 60
_LOOKS_A_SECOND = 50
_SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "max_connections=60",
    "shared_buffers=16MB",
)


@dataclass
class Postgres:
    directory: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def address(self, database: str) -> Secret:
        return Secret(f"postgresql://kandev@/{database}?host={self.directory}")

    def database(self, template: str = "template0") -> str:
        """The name of a database that nobody has used, and that is like the template."""
        name = f"test_{next(self._numbers)}"
        self.tell(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def tell(self, command: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Execute a command in a transaction of its own; its rows."""
        address = self.address(database).reveal()
        with psycopg.connect(address, autocommit=True) as driver:
            cursor = driver.execute(command.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    directory = Path(tempfile.mkdtemp(prefix="kandev-pg-"))
    cluster, log = directory / "cluster", directory / "log"
    try:
        how = _as_somebody(directory)
        initdb = [_found("initdb"), "-D", str(cluster), "-U", "kandev", "--auth=trust", "--no-sync"]
        initdb += ["--encoding=UTF8", "--locale=C.UTF-8"]
        subprocess.run(initdb, **how, stdout=subprocess.DEVNULL, timeout=_SECONDS, check=True)
        server = ["setpriv", "--pdeathsig", "QUIT", _found("postgres"), "-D", str(cluster)]
        server += ["-k", str(directory), *(word for each in _SETTINGS for word in ("-c", each))]
        with log.open("wb") as output, subprocess.Popen(server, **how, stderr=output) as process:
            try:
                yield _answering(Postgres(directory), process, log)
            finally:
                process.send_signal(signal.SIGQUIT)
    finally:
        shutil.rmtree(directory)


def _answering(postgres: Postgres, process: subprocess.Popen[bytes], log: Path) -> Postgres:
    for _ in range(_SECONDS * _LOOKS_A_SECOND):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            postgres.tell("SELECT 1")
        except psycopg.OperationalError:
            time.sleep(1 / _LOOKS_A_SECOND)
        else:
            return postgres
    raise AssertionError(log.read_text(encoding="utf-8"))


def _as_somebody(directory: Path) -> dict[str, Any]:
    """How to start a program of PostgreSQL's; the directory is made that of its user."""
    # An environment of its own: the server is the session's, and no one test's to have left behind.
    how: dict[str, Any] = {
        "cwd": "/",
        "env": {"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        "stdin": subprocess.DEVNULL,
    }
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(directory, nobody.pw_uid, nobody.pw_gid)
        how |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return how


def _found(program: str) -> str:
    """The newest of Debian's, which are on no search path, else what is there."""
    versions = sorted(_DEBIAN.glob(f"*/bin/{program}"), key=lambda path: int(path.parts[-3]))
    found = str(versions[-1]) if versions else shutil.which(program)
    assert found, f"{program} of PostgreSQL is not installed"
    return found
