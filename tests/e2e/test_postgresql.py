"""A whole installation whose database is PostgreSQL's."""

from pathlib import Path

import pytest

from composition.start_problem import CannotStart
from tests.e2e.kandev import Installation, call, script
from tests.e2e.test_conversation import begin
from tests.postgres import Postgres
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@pytest.fixture
def installation(tmp_path: Path, postgres: Postgres) -> Installation:
    address = postgres.address(postgres.database()).reveal()
    return Installation(tmp_path / "home", {"KANDEV_DATABASE_URL": address})


@requirement("store:postgresql:served")
@requirement("store:postgresql:owner")
async def test_a_server_keeps_everything_in_postgresql_across_restarts(
    installation: Installation, checkout: Path, tmp_path: Path
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        talked = await kandev.turn(session, script(call("message", "hello")))
        second = Installation(tmp_path / "second", installation.environment)
        second.environment["KANDEV_HOME"] = str(second.home)
        with pytest.raises(CannotStart) as refused:
            async with second.server():
                pass
    async with installation.server() as kandev:
        found = await kandev.until(session, "complete")

    assert refused.value.code == "database_in_use"
    assert found == talked
    assert not (installation.home / "kandev.db").exists()


@requirement("store:postgresql:no-copy")
@pytest.mark.parametrize("words", [("create",), ("list",), ("restore", "x")])
async def test_backups_are_left_to_the_tools_of_postgresql(
    installation: Installation, words: tuple[str, ...]
) -> None:
    code, out, why = await installation.command("backup", *words)

    assert (code, out) == (1, "")
    assert "database_is_postgresql" in why
    assert "pg_dump" in why


@requirement("store:postgresql:address")
async def test_the_password_is_in_no_message_and_no_log(installation: Installation) -> None:
    password = "correct-horse-battery"
    address = f"postgresql://kandev:{password}@/kandev?host=/nowhere"

    code, out, why = await installation.command(
        "serve", "--port", "0", environment={"KANDEV_DATABASE_URL": address}
    )

    assert code == 3
    assert "database_unusable" in why
    logs = [each.read_text(encoding="utf-8") for each in (installation.home / "logs").iterdir()]
    assert not any(password in text for text in (out, why, *logs))
