"""A start that is killed while it migrates: `python -m tests.adapters.sqlite.mortal_upgrade HOME`.

For each number n on stdin it forks a child that upgrades the database and is killed before the
n-th statement of the migrations, then says whether it was. Forking spares each the imports.
"""

import os
import signal
import sys
from importlib import import_module
from pathlib import Path

from sqlalchemy import Engine, event

from adapters.sqlite.upgrade import known_migrations, upgrade
from domain.upgrade import Program
from tests.contracts.store_examples import NOW

__all__ = ("PROGRAM",)

PROGRAM = Program("1.0", known_migrations())


def upgrade_until_killed(home: Path, last: int) -> None:
    count = 0

    def die_at_last(*_: object) -> None:
        nonlocal count
        count += 1
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die_at_last)
    upgrade(home / "kandev.db", home / "backups", PROGRAM, NOW).unwrap()


def main(home: Path) -> None:
    import_module("adapters.sqlite.migrate")  # so that no child has to import Alembic
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            upgrade_until_killed(home, int(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write("killed\n" if os.WIFSIGNALED(status) else "done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
