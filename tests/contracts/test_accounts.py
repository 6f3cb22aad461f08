"""What every store keeps to about accounts, sign-ins and invitations."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.account import Role
from domain.identity import InvitationId, SignInId, UserId
from domain.invitation import Invitation
from domain.sign_in import started
from ports.store import Store
from tests.account_examples import account_of
from tests.contracts.store_examples import NOW
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("account:signed-in")]

ANNA, BEN = account_of(UserId("anna"), Role.ADMIN), account_of(UserId("ben"))
HERE = started(SignInId("sgn_a"), ANNA.id, "d1", "Firefox", NOW)
THERE = replace(HERE, id=SignInId("sgn_b"), digest="d2")
INVITATION = Invitation(
    InvitationId("inv_a"), "i1", None, Role.MEMBER, ANNA.id, NOW, NOW + timedelta(days=7)
)
ADDRESSED = replace(INVITATION, id=InvitationId("inv_b"), digest="i2", email="c@d", role=Role.ADMIN)


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        async with made.write() as unit:
            for account in (ANNA, BEN):
                await unit.put_account(account)
            for sign_in in (HERE, THERE):
                await unit.put_sign_in(sign_in)
            for invitation in (INVITATION, ADDRESSED):
                await unit.add_invitation(invitation)
        yield made


async def test_an_account_is_found_by_its_id_and_its_address(store: Store) -> None:
    async with store.read() as state:
        assert await state.account(ANNA.id) == ANNA
        assert await state.account_with("ben@example.org") == BEN
        assert await state.account(UserId("none")) is None
        assert await state.account_with("none@example.org") is None
        assert await state.accounts(None, 1) == [ANNA]
        assert await state.accounts(ANNA.id, 9) == [BEN]


async def test_active_admins_are_counted(store: Store) -> None:
    async with store.write() as unit:
        assert await unit.active_admins() == 1
        await unit.put_account(replace(BEN, role=Role.ADMIN))
        assert await unit.active_admins() == 2
        await unit.put_account(replace(ANNA, active=False))
        assert await unit.active_admins() == 1


async def test_a_password_stays_when_its_account_changes(store: Store) -> None:
    async with store.write() as unit:
        assert await unit.kept_password(ANNA.id) is None
        await unit.put_password(ANNA.id, "first")
        await unit.put_password(ANNA.id, "second")
        await unit.put_account(replace(ANNA, name="Other"))

    async with store.read() as state:
        assert await state.kept_password(ANNA.id) == "second"
        assert await state.kept_password(BEN.id) is None


async def test_a_sign_in_is_found_by_its_cookie_and_ended_by_its_user(store: Store) -> None:
    touched = replace(HERE, seen_at=NOW + timedelta(hours=1))
    async with store.write() as unit:
        await unit.put_sign_in(touched)
        assert await unit.sign_in("d1") == touched
        assert await unit.sign_in("none") is None
        assert await unit.sign_ins(ANNA.id) == [touched, THERE]
        assert await unit.sign_ins(BEN.id) == []
        assert not await unit.remove_sign_in(BEN.id, HERE.id)
        assert await unit.remove_sign_in(ANNA.id, HERE.id)
        assert not await unit.remove_sign_in(ANNA.id, HERE.id)

    async with store.read() as state:
        assert await state.sign_in("d1") is None


async def test_sign_ins_that_were_not_seen_for_long_are_pruned(store: Store) -> None:
    async with store.write() as unit:
        await unit.put_sign_in(replace(THERE, seen_at=NOW + timedelta(seconds=1)))
        assert await unit.prune_sign_ins(NOW + timedelta(seconds=1)) == 1
        assert [each.id for each in await unit.sign_ins(ANNA.id)] == [THERE.id]


@requirement("account:invitation")
async def test_an_invitation_is_found_by_its_text_and_taken_once(store: Store) -> None:
    async with store.write() as unit:
        assert await unit.invitation("i1") == INVITATION
        assert await unit.invitation("i2") == ADDRESSED
        assert await unit.invitations(None, 1) == [INVITATION]
        assert await unit.invitations(INVITATION.id, 9) == [ADDRESSED]
        assert await unit.remove_invitation(INVITATION.id)
        assert not await unit.remove_invitation(INVITATION.id)

    async with store.read() as state:
        assert await state.invitation("i1") is None
