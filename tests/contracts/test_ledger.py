"""The ledger of every store: added to in order, read by page and by field, pruned by age."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.execution import Handle
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId, WorkspaceId
from domain.ledger import LEDGER_LIFE, LedgerEntry, LedgerQuery, Operation
from domain.peer import Descent, Peer
from domain.repository import RepositoryIdentity
from pipelines.read_ledger import PruneLedger
from ports.store import Store
from tests.contracts.store_examples import NOW
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

ENTRY = LedgerEntry(
    NOW,
    Operation.REDEEM,
    "granted",
    WorkspaceId("w"),
    TaskId("t"),
    SessionId("s"),
    ExecutionId("e"),
    RepositoryId("r"),
    RepositoryIdentity("forge.example", "/acme/shop"),
    "robot",
    "detail",
    Peer(42, Descent.UNKNOWN),
)
UNKNOWN = LedgerEntry(
    NOW,
    Operation.ISSUE,
    "lease_denied",
    None,
    None,
    None,
    ExecutionId("e"),
    None,
    RepositoryIdentity("other.example", "/x"),
)


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        yield made


@requirement("ledger:filter")
async def test_entries_come_back_equal_in_order_and_by_page(store: Store) -> None:
    async with store.write() as unit:
        await unit.record([ENTRY, UNKNOWN])
        await unit.record([])
        await unit.record([ENTRY])

    async with store.read() as state:
        first = await state.ledger(LedgerQuery(limit=2))
        rest = await state.ledger(LedgerQuery(after=first[-1].sequence, limit=2))

    assert first == [replace(ENTRY, sequence=1), replace(UNKNOWN, sequence=2)]
    assert rest == [replace(ENTRY, sequence=3)]


@requirement("ledger:filter")
@pytest.mark.parametrize(
    "query",
    [
        LedgerQuery(workspace=WorkspaceId("w")),
        LedgerQuery(task=TaskId("t")),
        LedgerQuery(session=SessionId("s")),
        LedgerQuery(repository=RepositoryId("r")),
        LedgerQuery(host="forge.example"),
        LedgerQuery(operation=Operation.REDEEM),
        LedgerQuery(result="granted"),
        LedgerQuery(task=TaskId("t"), result="granted", host="forge.example"),
    ],
)
async def test_each_named_field_narrows_what_is_read(store: Store, query: LedgerQuery) -> None:
    async with store.write() as unit:
        await unit.record([UNKNOWN, ENTRY])

    async with store.read() as state:
        assert await state.ledger(query) == [replace(ENTRY, sequence=2)]
        assert await state.ledger(replace(query, host="nowhere.example")) == []


@requirement("ledger:push")
async def test_only_granted_redemptions_that_no_push_has_are_unmatched(store: Store) -> None:
    handle = Handle(ExecutionId("e"), TaskId("t"), SessionId("s"))
    early = replace(ENTRY, at=NOW - timedelta(microseconds=1))
    others = [
        early,
        replace(ENTRY, result="lease_denied"),
        replace(ENTRY, operation=Operation.ISSUE),
        replace(ENTRY, session=SessionId("s2")),
        replace(ENTRY, execution=ExecutionId("e2")),
        replace(ENTRY, repository=RepositoryId("r2")),
    ]
    async with store.write() as unit:
        await unit.record([ENTRY, *others, ENTRY])
        first = await unit.unmatched_redemptions(handle, RepositoryId("r"), NOW)
        earlier = await unit.unmatched_redemptions(handle, RepositoryId("r"), early.at)
        push = replace(ENTRY, operation=Operation.PUSH, result="matched", peer=None, redemption=1)
        await unit.record([push, replace(push, result="outside_lease", redemption=None)])
        second = await unit.unmatched_redemptions(handle, RepositoryId("r"), NOW)
        stored = await unit.ledger(LedgerQuery(operation=Operation.PUSH))

    assert [each.sequence for each in first] == [1, 8]
    assert [each.sequence for each in earlier] == [1, 2, 8]
    assert second == [replace(ENTRY, sequence=8)]
    assert [each.redemption for each in stored] == [1, None]


@requirement("ledger:prune")
async def test_only_what_is_too_old_is_pruned_and_numbers_are_not_given_again(store: Store) -> None:
    async with store.write() as unit:
        await unit.record([ENTRY, ENTRY])
    clock = ManualClock(NOW + LEDGER_LIFE)

    kept = await PruneLedger(store, clock)()
    clock.advance(timedelta(microseconds=1))
    gone = await PruneLedger(store, clock)()
    async with store.write() as unit:
        await unit.record([ENTRY])
        after = await unit.ledger(LedgerQuery())

    assert (kept, gone) == (0, 2)
    assert [each.sequence for each in after] == [3]


async def test_a_unit_that_is_undone_has_written_nothing_down(store: Store) -> None:
    with pytest.raises(RuntimeError):  # noqa: PT012 -- the unit is what raises
        async with store.write() as unit:
            await unit.record([ENTRY])
            raise RuntimeError

    async with store.read() as state:
        assert await state.ledger(LedgerQuery()) == []
