"""What every store gives in pages: lists that grow, each by its key, whole when no limit is asked."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from domain.identity import ConnectionId, RepositoryId, SessionId, TurnId
from domain.turn import TurnState
from ports.store import Reader, Store
from tests.contracts.store_examples import NOW, Example, stored
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLE = Example()
COUNT = 7
LIMIT = 3

Page = Callable[[Reader, str | None, int], Awaitable[Sequence[object]]]


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    """A store with several of everything that hangs on a workspace, a task and a session."""
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        await stored(made, EXAMPLE)
        async with made.write() as unit:
            await unit.put_turn(EXAMPLE.turn)
            for number in range(1, COUNT):
                await unit.put_connection(
                    replace(
                        EXAMPLE.connection, id=ConnectionId(f"con_{number}"), host=f"{number}.test"
                    ),
                    b"%d" % number,
                )
                await unit.put_repository(
                    replace(EXAMPLE.repository, id=RepositoryId(f"repo_{number}"))
                )
                await unit.add_session(
                    replace(EXAMPLE.session, id=SessionId(f"ses_{number}"), execution=None)
                )
                await unit.put_turn(
                    replace(
                        EXAMPLE.turn,
                        id=TurnId(f"turn_{COUNT - number}"),
                        generation=number + 1,
                        state=TurnState.COMPLETED,
                    )
                )
        yield made


async def connections(state: Reader, after: str | None, limit: int) -> Sequence[object]:
    return await state.connections(EXAMPLE.workspace.id, after, limit)


async def repositories(state: Reader, after: str | None, limit: int) -> Sequence[object]:
    return await state.repositories(EXAMPLE.workspace.id, after, limit)


async def sessions(state: Reader, after: str | None, limit: int) -> Sequence[object]:
    return await state.sessions(EXAMPLE.task.id, after, limit)


async def turns(state: Reader, after: str | None, limit: int) -> Sequence[object]:
    return await state.turns(EXAMPLE.session.id, None if after is None else TurnId(after), limit)


async def whole(state: Reader, page: Page) -> Sequence[object]:
    if page is connections:
        return await state.connections(EXAMPLE.workspace.id)
    if page is repositories:
        return await state.repositories(EXAMPLE.workspace.id)
    if page is sessions:
        return await state.sessions(EXAMPLE.task.id)
    return await state.turns(EXAMPLE.session.id)


@requirement("store:page:keyset")
@pytest.mark.parametrize("page", [connections, repositories, sessions, turns])
async def test_pages_of_a_list_follow_each_other_without_a_gap_or_a_repetition(
    store: Store, page: Page
) -> None:
    seen: list[object] = []
    after: str | None = None
    async with store.read() as state:
        while found := await page(state, after, LIMIT):
            assert len(found) <= LIMIT
            seen.extend(found)
            after = found[-1].id  # type: ignore[attr-defined]  # each row of a list has one

        assert seen == await whole(state, page)
    assert len(seen) == COUNT


@requirement("store:page:keyset")
async def test_turns_come_by_their_generation_and_the_last_one_is_known(store: Store) -> None:
    async with store.read() as state:
        found = await state.turns(EXAMPLE.session.id)
        last = await state.last_turn(EXAMPLE.session.id)
        none = await state.last_turn(SessionId("ses_1"))

    assert [each.generation for each in found] == list(range(1, COUNT + 1))
    assert last == found[-1]
    assert none is None
