"""What every store keeps to about who works in a workspace."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.access import Standing
from domain.access_token import AccessToken, Scope
from domain.identity import TokenId, UserId, WorkspaceId
from domain.ledger import LedgerQuery
from domain.membership import Member
from domain.principal import HOME_OWNER
from ports.store import Store
from tests.contracts.store_examples import NOW, Example, stored
from tests.contracts.stores import KINDS, opened
from tests.contracts.test_ledger import ENTRY
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("workspace:members")]

A, B = Example("a"), Example("b")
ANNA, BEN = UserId("anna"), UserId("ben")


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    """Two workspaces with sessions: one of the home's owner with Anna in it, one of Anna's."""
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        await stored(made, A)
        await stored(made, B)
        async with made.write() as unit:
            await unit.put_workspace(replace(B.workspace, owner=ANNA))
            await unit.put_member(A.workspace.id, Member(ANNA, NOW))
        yield made


async def test_a_user_works_where_they_own_and_where_they_are_a_member(store: Store) -> None:
    async with store.read() as state:
        of_anna = await state.workspaces_of(ANNA, None, 9)
        assert [each.id for each in of_anna] == [A.workspace.id, B.workspace.id]
        assert await state.workspaces_of(ANNA, A.workspace.id, 9) == of_anna[1:]
        assert await state.workspaces_of(ANNA, None, 1) == of_anna[:1]
        assert await state.workspaces_of(HOME_OWNER, None, 9) == [A.workspace]
        assert await state.workspaces_of(BEN, None, 9) == []
        assert await state.sessions_of(ANNA) == [A.session, B.session]
        assert await state.sessions_of(HOME_OWNER) == [A.session]
        assert await state.sessions_of(BEN) == []


@pytest.mark.parametrize(
    ("workspace", "user", "standing"),
    [
        (A.workspace.id, HOME_OWNER, Standing.OWNER),
        (A.workspace.id, ANNA, Standing.MEMBER),
        (A.workspace.id, BEN, None),
        (B.workspace.id, ANNA, Standing.OWNER),
        (B.workspace.id, HOME_OWNER, None),
        (WorkspaceId("none"), HOME_OWNER, None),
    ],
)
async def test_a_user_stands_to_a_workspace_as_it_was_stored(
    store: Store, workspace: WorkspaceId, user: UserId, standing: Standing | None
) -> None:
    async with store.read() as state:
        assert await state.standing(workspace, user) is standing


async def test_members_come_by_page_and_go_with_the_workspace(store: Store) -> None:
    async with store.write() as unit:
        await unit.put_member(A.workspace.id, Member(BEN, NOW))
        assert await unit.members(A.workspace.id, None, 1) == [Member(ANNA, NOW)]
        assert await unit.members(A.workspace.id, ANNA, 9) == [Member(BEN, NOW)]
        assert await unit.remove_member(A.workspace.id, BEN)
        assert not await unit.remove_member(A.workspace.id, BEN)
        await unit.remove_task(A.task.id)
        await unit.remove_workspace(A.workspace.id)

    async with store.read() as state:
        assert await state.members(A.workspace.id, None, 9) == []
        assert await state.standing(A.workspace.id, ANNA) is None


async def test_the_ledger_is_shown_to_who_works_there(store: Store) -> None:
    gone = WorkspaceId("gone")
    async with store.write() as unit:
        await unit.record([
            replace(ENTRY, workspace=each) for each in (A.workspace.id, B.workspace.id, gone, None)
        ])

    async def shown(query: LedgerQuery) -> list[WorkspaceId | None]:
        async with store.read() as state:
            return [each.workspace for each in await state.ledger(query)]

    a, b = A.workspace.id, B.workspace.id
    assert await shown(LedgerQuery(user=ANNA)) == [a, b]
    assert await shown(LedgerQuery(user=HOME_OWNER)) == [a]
    assert await shown(LedgerQuery(user=HOME_OWNER, ownerless=True)) == [a, gone, None]
    assert await shown(LedgerQuery(user=BEN)) == []
    assert await shown(LedgerQuery(user=ANNA, within=(b, gone))) == [b]
    assert await shown(LedgerQuery(user=ANNA, within=())) == []
    assert await shown(LedgerQuery(user=ANNA, workspace=a)) == [a]
    assert await shown(LedgerQuery()) == [a, b, gone, None]


@requirement("token:limits")
@pytest.mark.parametrize("limits", [None, frozenset({A.workspace.id, B.workspace.id})])
async def test_a_token_keeps_its_limits(
    store: Store, limits: frozenset[WorkspaceId] | None
) -> None:
    token = AccessToken(TokenId("tok_l"), ANNA, "ci", "digest", frozenset(Scope), NOW, NOW, limits)
    async with store.write() as unit:
        await unit.add_access_token(token)

    async with store.read() as state:
        assert await state.access_token("digest") == token
