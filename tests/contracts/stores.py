"""Every store that the contracts hold: SQLite in a file, PostgreSQL in a database of its own."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from adapters.sqlite.postgresql.store import open_postgres_store
from adapters.sqlite.store import open_store
from ports.clock import Clock
from ports.store import Store
from tests.postgres import Postgres

__all__ = ("KINDS", "VERSION", "opened")

KINDS: Final = ("sqlite", "postgresql")
VERSION: Final = "1.0"


@asynccontextmanager
async def opened(
    request: pytest.FixtureRequest, kind: str, directory: Path, clock: Clock
) -> AsyncGenerator[Store]:
    """A store that is empty, of one of the kinds."""
    if kind == "sqlite":
        database, backups = directory / "kandev.db", directory / "backups"
        async with open_store(database, backups=backups, version=VERSION, clock=clock) as store:
            yield store
        return
    server: Postgres = request.getfixturevalue("postgres")
    empty: str = request.getfixturevalue("empty_store")
    address = server.address(server.database(empty))
    async with open_postgres_store(address, version=VERSION, clock=clock) as other:
        yield other
