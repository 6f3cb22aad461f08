"""Passwords by Argon2id."""

import asyncio

import pytest

from adapters.secrets.passwords import MEMORY_KIB, Argon2Passwords
from domain.secret import Secret
from tests.fakes.ids import CountingIds
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("account:password")]

PASSWORD = Secret("correct horse battery staple")


async def test_a_password_is_the_same_and_another_is_not() -> None:
    passwords = Argon2Passwords(CountingIds())

    kept = await passwords.keep(PASSWORD)

    assert kept.startswith(f"$argon2id$v=19$m={MEMORY_KIB},t=1,p=4$")
    assert PASSWORD.reveal() not in kept
    assert await passwords.are_same(PASSWORD, kept)
    assert not await passwords.are_same(Secret("correct horse battery stapler"), kept)


async def test_the_same_password_is_kept_in_another_way_each_time() -> None:
    passwords = Argon2Passwords(CountingIds())

    assert await passwords.keep(PASSWORD) != await passwords.keep(PASSWORD)


@pytest.mark.parametrize("tried", ["nobody", "correct horse battery staple"])
async def test_where_none_was_kept_none_is_the_same(tried: str) -> None:
    assert not await Argon2Passwords(CountingIds()).are_same(Secret(tried), None)


async def test_more_than_may_be_computed_at_once_wait_their_turn() -> None:
    passwords = Argon2Passwords(CountingIds())
    kept = await passwords.keep(PASSWORD)

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(passwords.are_same(PASSWORD, kept)) for _ in range(5)]

    assert all(each.result() for each in asked)
