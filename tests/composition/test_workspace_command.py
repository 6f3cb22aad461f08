"""What `kandev workspace` asks a server for, and what it prints."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from composition.client import ApiError, Client
from composition.commands.workspace import ask, parser
from domain.identity import UserId
from tests.account_examples import account_of
from tests.adapters.http.conftest import ORIGIN, TOKEN, app_of
from tests.pipelines.plane import Plane, plane_over
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("workspace:command")]


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncIterator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@pytest.fixture
async def client(plane: Plane) -> AsyncIterator[Client]:
    transport = httpx2.ASGITransport(app=app_of(plane))
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as http:
        yield Client(http)


async def test_workspaces_and_their_owners_are_listed(
    plane: Plane, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    made = {await plane.workspace(), await plane.workspace()}

    await ask(client, parser().parse_args(["list"]))

    rows = [row.split("  ") for row in capsys.readouterr().out.splitlines()]
    assert {row[0] for row in rows} == made
    assert {row[1] for row in rows} == {"owner"}


async def test_a_member_is_taken_in_listed_and_let_go(
    plane: Plane, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = await plane.workspace()
    async with plane.store.write() as unit:
        await unit.put_account(account_of(UserId("anna")))

    async def printed(*words: str) -> str:
        await ask(client, parser().parse_args(words))
        return capsys.readouterr().out

    anna = "anna  anna@example.org  Anna\n"
    assert await printed("add", workspace, "anna@example.org") == anna
    assert await printed("members", workspace) == anna
    assert await printed("remove", workspace, "anna") == ""
    assert await printed("members", workspace) == ""


async def test_a_name_is_no_way_to_another_route(client: Client) -> None:
    with pytest.raises(ApiError) as refused:
        await ask(client, parser().parse_args(["members", "../tokens?"]))

    assert refused.value.status == 404
