"""What every test runs under: one profile of hypothesis, one event loop, and nothing left behind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from tests.postgres import Postgres

pytest_plugins = ("tests.leaks",)

hypothesis.settings.register_profile(
    "kandev",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("kandev")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Postgres]":
    """The server of this run, started when the first test asks for it."""
    from tests.postgres import running_postgres

    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def empty_store(postgres: "Postgres") -> str:
    """The name of a database with the schema of the store and nothing in it."""
    from adapters.sqlite.postgresql.upgrade import upgrade
    from adapters.sqlite.upgrade import known_migrations
    from domain.upgrade import Program
    from tests.contracts.store_examples import NOW
    from tests.contracts.stores import VERSION

    name = postgres.database()
    upgrade(postgres.address(name), Program(VERSION, known_migrations()), NOW).unwrap()
    return name
