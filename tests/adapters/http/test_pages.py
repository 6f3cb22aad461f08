"""Every list that grows is read in pages over REST, and the next one continues behind the last."""

from dataclasses import replace

import pytest

from domain.identity import ConnectionId, RepositoryId, SessionId, TurnId
from domain.turn import TurnState
from tests.adapters.http.conftest import Web
from tests.contracts.store_examples import Example, stored
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLE = Example()
MOST = 100
LISTS = {
    "connections": f"/api/v1/workspaces/{EXAMPLE.workspace.id}/connections",
    "repositories": f"/api/v1/workspaces/{EXAMPLE.workspace.id}/repositories",
    "sessions": f"/api/v1/tasks/{EXAMPLE.task.id}/sessions",
    "turns": f"/api/v1/sessions/{EXAMPLE.session.id}/turns",
}


async def filled(web: Web) -> None:
    """One row more of each list than a page has."""
    await stored(web.plane.store, EXAMPLE)
    ended = replace(EXAMPLE.turn, state=TurnState.COMPLETED)
    async with web.plane.store.write() as unit:
        await unit.put_turn(ended)
        for number in range(1, MOST + 1):
            connection = replace(
                EXAMPLE.connection, id=ConnectionId(f"con_b{number:03}"), host=f"{number}.test"
            )
            await unit.put_connection(connection, b"sealed")
            repository = replace(EXAMPLE.repository, id=RepositoryId(f"repo_b{number:03}"))
            await unit.put_repository(repository)
            session = replace(EXAMPLE.session, id=SessionId(f"ses_b{number:03}"), execution=None)
            await unit.add_session(session)
            await unit.put_turn(
                replace(ended, id=TurnId(f"turn_b{number:03}"), generation=number + 1)
            )


@requirement("rest:pages")
async def test_a_list_has_at_most_so_many_rows_and_continues_behind_the_last_one(web: Web) -> None:
    await filled(web)

    for path in LISTS.values():
        first = await web.ok("GET", path)
        rest = await web.ok("GET", f"{path}?after={first[-1]['id']}")
        assert (len(first), len(rest)) == (MOST, 1), path
        assert [row["id"] for row in (*first, *rest)] == sorted(
            row["id"] for row in (*first, *rest)
        )
        assert await web.ok("GET", f"{path}?limit=1") == first[:1]
        assert await web.ok("GET", f"{path}?limit=2&after={first[0]['id']}") == first[1:3]
        assert await web.ok("GET", f"{path}?after={rest[-1]['id']}") == []


@requirement("rest:pages")
@pytest.mark.parametrize("limit", [0, MOST + 1])
async def test_a_page_beyond_its_bounds_is_refused(web: Web, limit: int) -> None:
    await stored(web.plane.store, EXAMPLE)

    for path in LISTS.values():
        assert await web.refused("GET", f"{path}?limit={limit}") == (400, "invalid_request"), path
