"""Pushes that an instance tells of: in the ledger, and counted next to the snapshot."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from domain.event import EventKind, ExecutionEvent, Json
from domain.execution import Handle
from domain.identity import ExecutionId, RepositoryId
from domain.ledger import LedgerEntry, LedgerQuery, Operation
from domain.push import REFLOGS_OFF, Push, Unseen, Update, Whose, to_json
from domain.repository import RepositoryIdentity
from domain.session import Session
from tests.pipelines.plane import HOST, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

IDENTITY = RepositoryIdentity(HOST, "/acme/app")


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def repository_of(plane: Plane, session: Session) -> RepositoryId:
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    return task.repositories[0].repository


def told(plane: Plane, number: int, body: Json) -> ExecutionEvent:
    return ExecutionEvent(number, plane.clock.now(), EventKind.PUSH, 1, body)


def push_of(repository: RepositoryId, how: Whose = Whose.SESSION) -> Json:
    return to_json(Push(repository, how, (Update("refs/remotes/origin/x", "a", "b"),)))


async def redeem(plane: Plane, followed: Handle, repository: RepositoryId) -> None:
    entry = LedgerEntry(
        plane.clock.now(),
        Operation.REDEEM,
        "granted",
        None,
        followed.task,
        followed.session,
        followed.execution,
        repository,
        IDENTITY,
        "robot",
    )
    async with plane.store.write() as unit:
        await unit.record([entry])


async def pushes(plane: Plane) -> list[LedgerEntry]:
    async with plane.store.read() as state:
        return list(await state.ledger(LedgerQuery(operation=Operation.PUSH)))


@requirement("ledger:push")
@requirement("ledger:push:tally")
async def test_each_redemption_allows_one_push_and_the_next_is_outside(plane: Plane) -> None:
    session = await plane.running()
    repository, follow = await repository_of(plane, session), plane.container.follow()
    before = (await plane.session(session.id)).metadata["git_pushes"]
    await redeem(plane, handle(session), repository)
    plane.clock.advance(timedelta(seconds=1))
    batch = [told(plane, number, push_of(repository)) for number in (1, 2)]

    await follow.record(handle(session), batch)
    await follow.record(handle(session), batch)

    matched, outside = await pushes(plane)
    assert (matched.result, matched.actor, outside.result) == ("matched", "robot", "outside_lease")
    assert (matched.repository, matched.identity) == (repository, IDENTITY)
    assert (matched.session, matched.workspace is not None) == (session.id, True)
    assert (matched.redemption is not None, outside.redemption) == (True, None)
    none: Json = {"matched": 0, "outside_lease": 0, "ambiguous": 0, "not_seen": ["by_url"]}
    assert before == none
    tally = (await plane.session(session.id)).metadata["git_pushes"]
    assert tally == {**none, "matched": 1, "outside_lease": 1}


@requirement("ledger:push:tally")
async def test_what_cannot_be_seen_or_told_apart_is_said(plane: Plane) -> None:
    session = await plane.running()
    repository = await repository_of(plane, session)
    unseen = told(plane, 1, to_json(Unseen(repository, REFLOGS_OFF)))
    unclear = told(plane, 2, push_of(repository, Whose.AMBIGUOUS))
    nonsense = told(plane, 3, {"repository_id": repository, "updates": 7})
    elsewhere = told(plane, 4, push_of(RepositoryId("another")))

    await plane.container.follow().record(handle(session), [unseen, unclear, nonsense, elsewhere])

    assert [(each.result, each.detail) for each in await pushes(plane)] == [
        ("unseen", REFLOGS_OFF),
        ("ambiguous", "refs/remotes/origin/x"),
    ]
    tally = (await plane.session(session.id)).metadata["git_pushes"]
    assert tally == {
        "matched": 0,
        "outside_lease": 0,
        "ambiguous": 1,
        "not_seen": ["by_url", REFLOGS_OFF],
    }


@requirement("ledger:push:tally")
async def test_the_tally_is_of_the_execution_that_the_snapshot_is_of(plane: Plane) -> None:
    session = await plane.running()
    repository, follow = await repository_of(plane, session), plane.container.follow()
    await follow.record(handle(session), [told(plane, 1, push_of(repository))])
    await plane.stopped(session)
    resumed = (await plane.resumed(session.id)).unwrap()
    fresh = (await plane.session(session.id)).metadata["git_pushes"]
    await follow.record(handle(session), [told(plane, 2, push_of(repository))])

    assert isinstance(fresh, dict)
    assert fresh["outside_lease"] == 0
    assert (await plane.session(session.id)).metadata["git_pushes"] == fresh
    assert [each.execution for each in await pushes(plane)] == [session.execution] * 2
    assert resumed.execution != ExecutionId(str(session.execution))


@requirement("ledger:push:tally")
async def test_where_nothing_is_managed_there_is_no_tally(plane: Plane) -> None:
    session = await plane.running("executor")

    assert (await plane.session(session.id)).metadata["git_pushes"] is None
