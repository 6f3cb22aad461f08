"""What every store keeps to about access tokens."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.access_token import AccessToken, Scope
from domain.identity import TokenId, UserId
from ports.store import Store
from tests.contracts.store_examples import NOW
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

OWNER, OTHER = UserId("owner"), UserId("other")
TOKEN = AccessToken(
    TokenId("tok_a"), OWNER, "Größer", "d1", frozenset(Scope), NOW, NOW + timedelta(days=3)
)
READING = replace(TOKEN, id=TokenId("tok_b"), digest="d2", scopes=frozenset({Scope.READ}))
FOREIGN = replace(TOKEN, id=TokenId("tok_c"), digest="d3", user=OTHER)


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        async with made.write() as unit:
            for each in (TOKEN, READING, FOREIGN):
                await unit.add_access_token(each)
        yield made


@requirement("token:once")
async def test_a_token_is_found_by_its_digest_and_listed_for_its_user(store: Store) -> None:
    async with store.read() as state:
        assert await state.access_token("d2") == READING
        assert await state.access_token("unknown") is None
        assert await state.access_tokens(OWNER, None, 1) == [TOKEN]
        assert await state.access_tokens(OWNER, TOKEN.id, 2) == [READING]
        assert await state.access_tokens(OTHER, None, 2) == [FOREIGN]


@requirement("token:ends")
async def test_a_token_is_removed_by_its_user_alone(store: Store) -> None:
    async with store.write() as unit:
        assert not await unit.remove_access_token(OTHER, TOKEN.id)
        assert await unit.remove_access_token(OWNER, TOKEN.id)
        assert not await unit.remove_access_token(OWNER, TOKEN.id)

    async with store.read() as state:
        assert await state.access_token("d1") is None
        assert await state.access_tokens(OWNER, None, 9) == [READING]
