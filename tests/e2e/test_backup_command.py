"""`kandev backup`: through a whole installation, with a server and without."""

import json
from pathlib import Path

import pytest

from tests.adapters.sqlite.databases import write
from tests.e2e.kandev import Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


async def names(installation: Installation) -> list[str]:
    async with installation.server() as kandev:
        return [each["name"] for each in await kandev.client.get("/api/v1/workspaces")]


@requirement("backup:create")
@requirement("backup:restore")
@requirement("backup:restore:server")
async def test_a_backup_made_beside_a_server_is_restored_once_it_has_stopped(
    installation: Installation,
) -> None:
    async with installation.server() as kandev:
        await kandev.workspace_of("before")
        made, path, _ = await installation.command("backup", "create")
        await kandev.workspace_of("after")
        name = Path(path.strip()).name
        refused, _, why = await installation.command("backup", "restore", name)
    assert (made, refused) == (0, 3)
    assert "home_in_use" in why

    verified, said, _ = await installation.command("backup", "verify", name)
    restored, kept, _ = await installation.command("backup", "restore", name)

    assert (verified, restored) == (0, 0)
    assert said.startswith(f"{name} is sound")
    assert await names(installation) == ["before"]
    _, listed, _ = await installation.command("backup", "list", "--json")
    assert {each["name"]: each["origin"] for each in json.loads(listed)} == {
        name: "manual",
        Path(kept.strip()).name: "replaced",
    }


@requirement("backup:restore:key")
async def test_a_backup_that_the_key_of_the_home_does_not_open_is_left_alone(
    installation: Installation,
) -> None:
    async with installation.server() as kandev:
        await kandev.workspace_of("before")
    sealed_elsewhere = "INSERT INTO agentctl VALUES (1, '/agentctl', 1, 1, x'01')"
    write(installation.home / "kandev.db", sealed_elsewhere)
    _, path, _ = await installation.command("backup", "create")
    database = (installation.home / "kandev.db").read_bytes()

    code, _, why = await installation.command("backup", "restore", Path(path.strip()).name)

    assert code == 1
    assert "key_unknown" in why
    assert (installation.home / "kandev.db").read_bytes() == database
