"""What every store keeps to about the audit log."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.audit import AuditEntry, AuditQuery, Deed
from domain.identity import UserId, WorkspaceId
from domain.principal import HOME_OWNER
from ports.store import Store
from tests.contracts.store_examples import NOW, Example
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("audit:readers")]

ANNA = UserId("anna")
A, B = Example("a").workspace, replace(Example("b").workspace, owner=ANNA)
ENTRY = AuditEntry(NOW, Deed.SIGNED_IN, "user:ben", UserId("ben"), "sgn")


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    """Two workspaces, one of the home's owner and one of Anna's."""
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        async with made.write() as unit:
            await unit.put_workspace(A)
            await unit.put_workspace(B)
        yield made


async def test_each_reads_their_own_and_their_workspaces(store: Store) -> None:
    told = [
        replace(ENTRY, workspace=A.id, detail="größer"),
        replace(ENTRY, workspace=B.id),
        replace(ENTRY, workspace=WorkspaceId("gone")),
        ENTRY,
        replace(ENTRY, user=ANNA, workspace=A.id),
        replace(ENTRY, user=None, actor="nobody", subject=""),
    ]
    async with store.write() as unit:
        for each in told:
            await unit.add_audit(each)
    stored = [replace(each, sequence=number) for number, each in enumerate(told, start=1)]

    async def read(user: UserId, *, installation: bool = False, after: int = 0) -> list[int]:
        async with store.read() as state:
            page = await state.audit(AuditQuery(after, 9, user, installation))
        assert [each for each in stored if each in page] == page
        return [each.sequence for each in page]

    assert await read(HOME_OWNER) == [1, 5]
    assert await read(ANNA) == [2, 5]
    assert await read(UserId("ben")) == [1, 2, 3, 4]
    assert await read(UserId("nobody")) == []
    assert await read(HOME_OWNER, installation=True) == [1, 3, 4, 5, 6]
    assert await read(HOME_OWNER, installation=True, after=4) == [5, 6]
    async with store.read() as state:
        assert await state.audit(AuditQuery(0, 1, HOME_OWNER, installation=True)) == stored[:1]


@requirement("audit:append-only")
async def test_entries_go_by_their_age_and_numbers_do_not_come_back(store: Store) -> None:
    async with store.write() as unit:
        await unit.add_audit(ENTRY)
        await unit.add_audit(replace(ENTRY, at=NOW + timedelta(seconds=1)))
        assert await unit.prune_audit(NOW + timedelta(seconds=1)) == 1
        assert await unit.prune_audit(NOW + timedelta(days=1)) == 1
        await unit.add_audit(ENTRY)
        [left] = await unit.audit(AuditQuery(0, 9, UserId("ben"), installation=False))

    assert left.sequence == 3


@requirement("audit:told")
async def test_an_entry_of_a_unit_that_is_undone_is_not_there(store: Store) -> None:
    async def undone() -> None:
        async with store.write() as unit:
            await unit.add_audit(ENTRY)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await undone()

    async with store.read() as state:
        assert await state.audit(AuditQuery(0, 9, UserId("ben"), installation=False)) == []
