"""What every store keeps to, whatever it is made of."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.sqlite.store import open_store
from domain.connection import Status
from domain.credential_policy import Mode
from domain.event import EventKind, ExecutionEvent
from domain.execution import ExecutionState
from domain.failure_reason import FailureReason
from domain.identity import (
    ConnectionId,
    ExecutionId,
    LeaseId,
    QueuedId,
    RepositoryId,
    SessionId,
    TaskId,
    TurnId,
    WorkspaceId,
)
from domain.prompt_queue import QueuedPrompt
from domain.repository_settings import RepositorySettings
from domain.script import FailurePolicy
from domain.session import SessionFailure, SessionState
from domain.tally import Tally
from domain.task import Task, TaskRepository, TaskState
from domain.task_event import TaskChange
from domain.turn import TurnState
from domain.turn_evidence import UNKNOWN, Dirty, RepositoryEvidence
from ports.agentctl_record import AgentctlRecord
from ports.store import Reader, Store
from ports.vault import AGENTCTL_KEY, connection_place
from tests.contracts.store_examples import NOW, Example, events, stored
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        yield made


@pytest.fixture
async def example(store: Store) -> Example:
    return await stored(store, Example())


class StopError(Exception):
    """What a test raises to undo a unit."""


async def test_what_is_put_comes_back_equal(store: Store, example: Example) -> None:
    async with store.write() as unit:
        await unit.put_turn(example.turn)
        await unit.put_lease(example.lease)

    async with store.read() as state:
        assert await state.workspace(example.workspace.id) == example.workspace
        assert await state.connection(example.connection.id) == example.connection
        assert await state.connection_secret(example.connection.id) == b"sealed"
        assert await state.repository(example.repository.id) == example.repository
        assert await state.task(example.task.id) == example.task
        assert await state.session(example.session.id) == example.session
        assert await state.execution(example.execution.id) == example.execution
        assert await state.turn(example.turn.id) == example.turn
        assert await state.running_turn(example.session.id) == example.turn
        assert await state.lease(example.lease.token_hash) == example.lease
        assert await state.workspaces(None, 10) == [example.workspace]
        assert await state.connections(example.workspace.id) == [example.connection]
        assert await state.repositories(example.workspace.id) == [example.repository]
        assert await state.tasks(example.workspace.id, None, 10) == [example.task]
        assert await state.sessions(example.task.id) == [example.session]
        assert await state.turns(example.session.id) == [example.turn]
        assert await state.leases(example.execution.id) == [example.lease]


async def test_what_is_put_again_replaces_what_was_there(store: Store, example: Example) -> None:
    workspace = replace(example.workspace, name="Store", mode=Mode.EXECUTOR)
    connection = replace(example.connection, login=None, status=Status.INVALID, revision=2)
    repository = replace(
        example.repository, clone_url=None, local_path="/home/me/shop", identity=None
    )
    left = RepositoryEvidence(example.repository.id, None, "c1", Dirty(1, ("file",)), UNKNOWN)
    turn = replace(
        example.turn,
        state=TurnState.FAILED,
        ended_at=NOW,
        stop_reason="refusal",
        error="no",
        reason=FailureReason.RATE,
        evidence=(left,),
    )
    lease = replace(example.lease, revoked_at=NOW)

    async with store.write() as unit:
        await unit.put_turn(example.turn)
        await unit.put_lease(example.lease)
        await unit.put_workspace(workspace)
        await unit.put_connection(connection, b"sealed anew")
        await unit.put_repository(repository)
        await unit.put_turn(turn)
        await unit.put_lease(lease)

    async with store.read() as state:
        assert await state.workspace(workspace.id) == workspace
        assert await state.connection(connection.id) == connection
        assert await state.connection_secret(connection.id) == b"sealed anew"
        assert await state.repository(repository.id) == repository
        assert await state.turn(turn.id) == turn
        assert await state.running_turn(example.session.id) is None
        assert await state.lease(lease.token_hash) == lease


async def test_prompts_that_wait_come_by_position_and_go_with_their_session(
    store: Store, example: Example
) -> None:
    first = QueuedPrompt(QueuedId("q1"), example.session.id, 2, "later", NOW)
    second = QueuedPrompt(QueuedId("q2"), example.session.id, 1, "sooner", NOW)
    async with store.write() as unit:
        await unit.put_turn(example.turn)
        for each in (first, second, replace(first, position=-1, urgent=True, turn=example.turn.id)):
            await unit.put_queued(each)
    async with store.read() as state:
        queued = await state.queue(example.session.id)

    async with store.write() as unit:
        await unit.remove_queued(first.id)
        await unit.remove_queued(first.id)
    async with store.read() as state:
        assert await state.queue(example.session.id) == [second]
        assert await state.queue(SessionId("x")) == []
    async with store.write() as unit:
        await unit.remove_task(example.task.id)

    assert queued == [replace(first, position=-1, urgent=True, turn=example.turn.id), second]
    async with store.read() as state:
        assert await state.queue(example.session.id) == []


async def test_what_is_absent_is_none_or_empty(store: Store) -> None:
    async with store.read() as state:
        assert await state.workspace(WorkspaceId("x")) is None
        assert await state.connection(ConnectionId("x")) is None
        assert await state.connection_secret(ConnectionId("x")) is None
        assert await state.repository(RepositoryId("x")) is None
        assert await state.task(TaskId("x")) is None
        assert await state.session(SessionId("x")) is None
        assert await state.execution(ExecutionId("x")) is None
        assert await state.turn(TurnId("x")) is None
        assert await state.running_turn(SessionId("x")) is None
        assert await state.lease(b"x") is None
        assert await state.agentctl() is None
        assert list(await state.workspaces(None, 10)) == []
        assert list(await state.tasks(WorkspaceId("x"), None, 10)) == []
        assert list(await state.events(SessionId("x"), 0, 10)) == []
        assert list(await state.executions_in([])) == []
        assert list(await state.sealed_values()) == []


@requirement("store:unit:all-or-nothing")
async def test_a_unit_that_raises_leaves_nothing(store: Store, example: Example) -> None:
    with pytest.raises(StopError):  # noqa: PT012 -- the unit is what raises
        async with store.write() as unit:
            await unit.put_task(replace(example.task, title="Sell less"))
            await unit.append_events(example.session.id, example.execution.id, events([1]))
            await unit.remove_connection(example.connection.id)
            raise StopError

    async with store.read() as state:
        assert await state.task(example.task.id) == example.task
        assert list(await state.events(example.session.id, 0, 10)) == []
        assert await state.connection(example.connection.id) == example.connection
        assert [each.change for each in await state.task_events(0, 10)] == [TaskChange.CREATED]


@requirement("store:unit:all-or-nothing")
async def test_a_unit_that_is_cancelled_leaves_nothing_and_holds_up_nobody(
    store: Store, example: Example
) -> None:
    inside = asyncio.Event()

    async def hang() -> None:
        async with store.write() as unit:
            await unit.put_workspace(replace(example.workspace, name="Half"))
            inside.set()
            await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(hang())
        await inside.wait()
        task.cancel()

    async with asyncio.timeout(5), store.write() as unit:
        assert await unit.workspace(example.workspace.id) == example.workspace


@requirement("store:unit:all-or-nothing")
async def test_a_unit_that_has_ended_refuses_everything(store: Store) -> None:
    async with store.write() as unit:
        pass
    async with store.read() as state:
        pass

    with pytest.raises(RuntimeError):
        await unit.next_epoch()
    with pytest.raises(RuntimeError):
        await state.workspaces(None, 1)


@requirement("store:read:consistent")
async def test_a_reader_sees_one_state_while_a_writer_commits(
    store: Store, example: Example
) -> None:
    renamed = replace(example.workspace, name="Renamed")

    async with store.read() as state:
        before = await state.workspace(example.workspace.id)
        async with store.write() as unit:
            await unit.put_workspace(renamed)
            assert await state.workspace(example.workspace.id) == before
        assert await state.workspace(example.workspace.id) == before

    async with store.read() as state:
        assert await state.workspace(example.workspace.id) == renamed


@requirement("store:read:consistent")
async def test_more_readers_than_connections_all_get_their_turn(
    store: Store, example: Example
) -> None:
    async def look() -> None:
        async with store.read() as state:
            assert await state.workspace(example.workspace.id) is not None
            await asyncio.sleep(0)
            assert await state.workspace(example.workspace.id) is not None

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        for _ in range(50):
            group.create_task(look())


@requirement("store:write:one-at-a-time")
async def test_no_update_is_lost_between_writers(store: Store, example: Example) -> None:
    async def count() -> None:
        for _ in range(50):
            async with store.write() as unit:
                session = await unit.session(example.session.id)
                assert session is not None
                await asyncio.sleep(0)
                counted = session.metadata.get("counted", 0)
                assert isinstance(counted, int)
                assert await unit.save_session(replace(session, metadata={"counted": counted + 1}))

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(count())

    async with store.read() as state:
        session = await state.session(example.session.id)
        assert session is not None
        assert session.metadata == {"counted": 400}
        assert session.version == 400


@requirement("store:session:version")
async def test_a_session_is_not_written_over_a_newer_version(
    store: Store, example: Example
) -> None:
    async with store.write() as unit:
        assert await unit.save_session(replace(example.session, state=SessionState.RUNNING))
    async with store.write() as unit:
        late = replace(example.session, failure=SessionFailure("agent_died", "it did"))
        assert not await unit.save_session(late)

    async with store.read() as state:
        assert await state.session(example.session.id) == replace(
            example.session, state=SessionState.RUNNING, version=1
        )


async def test_a_session_keeps_why_it_failed(store: Store, example: Example) -> None:
    failed = replace(
        example.session,
        state=SessionState.FAILED,
        execution=None,
        acp_session="acp",
        failure=SessionFailure("agent_died", "it did"),
    )
    async with store.write() as unit:
        assert await unit.save_session(failed)

    async with store.read() as state:
        assert await state.session(example.session.id) == replace(failed, version=1)


@requirement("store:page:keyset")
async def test_pages_follow_each_other_without_a_gap_or_a_repetition(store: Store) -> None:
    example = await stored(store, Example())
    tasks = [replace(example.task, id=TaskId(f"task_{number:02}")) for number in range(7)]
    async with store.write() as unit:
        await unit.remove_task(example.task.id)
        for task in tasks:
            await unit.put_task(task)

    seen: list[Task] = []
    after = None
    async with store.read() as state:
        while page := await state.tasks(example.workspace.id, after, 3):
            assert len(page) <= 3
            seen.extend(page)
            after = page[-1].id

    assert seen == tasks


@requirement("store:page:keyset")
async def test_a_page_counts_tasks_and_not_their_repositories(store: Store) -> None:
    example = await stored(store, Example())
    second = replace(example.repository, id=RepositoryId("repo_b"), name="tools")
    both = replace(
        example.task,
        repositories=(
            TaskRepository(second.id),
            TaskRepository(example.repository.id, None, "next", 7),
        ),
    )
    bare = replace(example.task, id=TaskId("task_b"), repositories=())
    async with store.write() as unit:
        await unit.put_repository(second)
        await unit.put_task(both)
        await unit.put_task(bare)

    async with store.read() as state:
        assert await state.tasks(example.workspace.id, None, 2) == [both, bare]
        assert await state.workspaces(example.workspace.id, 10) == []


@requirement("store:events:numbered")
async def test_events_are_numbered_across_executions_from_one(
    store: Store, example: Example
) -> None:
    second = replace(example.execution, id=ExecutionId("exec_b"))
    async with store.write() as unit:
        await unit.append_events(example.session.id, example.execution.id, events([1, 2]))
        await unit.put_execution(second)
        added = await unit.append_events(example.session.id, second.id, events([1, 2, 3]))

    async with store.read() as state:
        found = await state.events(example.session.id, 0, 10)
        assert [each.sequence for each in found] == [1, 2, 3, 4, 5]
        assert [each.execution_sequence for each in found] == [1, 2, 1, 2, 3]
        assert list(found[2:]) == list(added)
        assert list(await state.events(example.session.id, 3, 1)) == [found[3]]


@requirement("store:events:once")
async def test_an_event_that_comes_again_is_stored_once(store: Store, example: Example) -> None:
    session, execution = example.session.id, example.execution.id
    async with store.write() as unit:
        first = await unit.append_events(session, execution, events([1, 2, 3]))
    async with store.write() as unit:
        again = await unit.append_events(session, execution, events([2, 3, 4, 4, 5]))
        nothing = await unit.append_events(session, execution, events([1, 5]))

    assert [each.execution_sequence for each in (*first, *again)] == [1, 2, 3, 4, 5]
    assert [each.sequence for each in (*first, *again)] == [1, 2, 3, 4, 5]
    assert list(nothing) == []


@requirement("store:events:acknowledged")
async def test_an_execution_knows_through_which_event_all_are_stored(
    store: Store, example: Example
) -> None:
    session, execution = example.session.id, example.execution.id
    async with store.write() as unit:
        through = []
        for numbers in ([1, 2], [4, 5], [3], [6]):
            await unit.append_events(session, execution, events(numbers))
            found = await unit.execution(execution)
            through.append(found.acknowledged if found else None)
        await unit.put_execution(replace(example.execution, state=ExecutionState.ENDED))
        ended = await unit.execution(execution)

    assert through == [2, 2, 5, 6]
    assert ended == replace(example.execution, state=ExecutionState.ENDED, acknowledged=6)


async def test_events_of_an_execution_of_another_session_are_refused(store: Store) -> None:
    one = await stored(store, Example("a"))
    other = await stored(store, Example("b"))

    async with store.write() as unit:
        for execution in (other.execution.id, ExecutionId("none")):
            with pytest.raises(ValueError, match="execution"):
                await unit.append_events(one.session.id, execution, events([1]))


async def test_an_event_keeps_every_kind_and_any_json(store: Store, example: Example) -> None:
    body: dict[str, object] = {"text": "\ud800 \x00 ü", "deep": [{"n": 2**70, "f": 0.1}], "": None}
    batch = [
        ExecutionEvent(number, NOW, kind, None, body) for number, kind in enumerate(EventKind, 1)
    ]
    async with store.write() as unit:
        added = await unit.append_events(example.session.id, example.execution.id, batch)

    async with store.read() as state:
        assert list(await state.events(example.session.id, 0, 100)) == list(added)
        assert [each.kind for each in added] == list(EventKind)
        assert all(each.body == body for each in added)


async def test_sessions_are_found_by_state(store: Store, example: Example) -> None:
    failed = replace(example.session, id=SessionId("ses_b"), state=SessionState.FAILED)
    async with store.write() as unit:
        await unit.add_session(failed)

    async with store.read() as state:
        assert await state.sessions_in([SessionState.FAILED]) == [failed]
        assert await state.sessions_in([SessionState.FAILED, SessionState.IDLE]) == [
            example.session,
            failed,
        ]
        assert list(await state.sessions_in([SessionState.STOPPED])) == []
        assert list(await state.sessions_in([])) == []


async def test_executions_are_found_by_state(store: Store, example: Example) -> None:
    others = [
        replace(example.execution, id=ExecutionId(f"exec_{state}"), state=state)
        for state in ExecutionState
    ]
    async with store.write() as unit:
        for each in others:
            await unit.put_execution(each)

    async with store.read() as state:
        starting, live, ended = others
        assert await state.executions_in([ExecutionState.STARTING]) == [starting]
        assert await state.executions_in([ExecutionState.ENDED, ExecutionState.STARTING]) == [
            ended,
            starting,
        ]
        assert await state.executions_in(list(ExecutionState)) == [
            example.execution,
            ended,
            live,
            starting,
        ]


@requirement("store:connection:revision")
async def test_a_revision_is_never_given_twice_for_a_host(store: Store, example: Example) -> None:
    workspace = example.workspace.id
    given = []
    async with store.write() as unit:
        given.append(await unit.next_revision(workspace, "one.example"))
        given.append(await unit.next_revision(workspace, "one.example"))
        given.append(await unit.next_revision(workspace, "two.example"))
        await unit.remove_connection(example.connection.id)
    async with store.write() as unit:
        given.append(await unit.next_revision(workspace, "one.example"))
        assert await unit.connection(example.connection.id) is None
        assert await unit.connection_secret(example.connection.id) is None

    assert given == [1, 2, 1, 3]


async def test_everything_sealed_can_be_asked_for_at_once(store: Store, example: Example) -> None:
    async with store.write() as unit:
        await unit.put_agentctl(AgentctlRecord("/run/a.sock", 7, 9, b"sealed key"))

    async with store.read() as state:
        assert sorted(await state.sealed_values()) == [b"sealed", b"sealed key"]


async def test_sealed_values_are_found_by_how_they_begin_each_with_its_place(
    store: Store, example: Example
) -> None:
    async with store.write() as unit:
        await unit.put_agentctl(AgentctlRecord("/run/a.sock", 42, 7, b"sealed key"))
    of_connection = connection_place(example.connection.id, example.workspace.id)

    async with store.read() as state:
        assert list(await state.sealed_otherwise(b"sea", 9)) == []
        assert list(await state.sealed_otherwise(b"sealed ", 9)) == [(of_connection, b"sealed")]
        everything = await state.sealed_otherwise(b"else", 9)
        assert sorted(everything, key=lambda each: each.sealed) == [
            (of_connection, b"sealed"),
            (AGENTCTL_KEY, b"sealed key"),
        ]
        assert len(await state.sealed_otherwise(b"else", 1)) == 1


async def test_a_sealed_value_is_replaced_where_it_still_is(store: Store, example: Example) -> None:
    async with store.write() as unit:
        await unit.put_agentctl(AgentctlRecord("/run/a.sock", 42, 7, b"sealed key"))
        assert await unit.replace_sealed(b"sealed", b"anew")
        assert not await unit.replace_sealed(b"sealed", b"again")
        assert await unit.replace_sealed(b"sealed key", b"key anew")

    async with store.read() as state:
        assert await state.connection_secret(example.connection.id) == b"anew"
        assert sorted(await state.sealed_values()) == [b"anew", b"key anew"]


async def test_the_last_agentctl_that_was_started_is_known(store: Store) -> None:
    first = AgentctlRecord("/run/a.sock", 7, 9, b"one")
    second = AgentctlRecord("/run/b.sock", 8, 10, b"two")
    async with store.write() as unit:
        await unit.put_agentctl(first)
        await unit.put_agentctl(second)
        epochs = [await unit.next_epoch() for _ in range(3)]

    async with store.read() as state:
        assert await state.agentctl() == second
        assert epochs == [1, 2, 3]


@requirement("store:leases:revoked")
@pytest.mark.parametrize(
    ("by", "revoked"),
    [
        ({"lease": LeaseId("lease_a")}, {"lease_a"}),
        ({"execution": ExecutionId("exec_a")}, {"lease_a", "lease_a2"}),
        ({"connection": ConnectionId("con_b")}, {"lease_b"}),
        ({"execution": ExecutionId("exec_a"), "lease": LeaseId("lease_b")}, set()),
        ({"connection": ConnectionId("none")}, set()),
    ],
)
async def test_live_leases_are_revoked_by_what_they_have_in_common(
    store: Store, by: dict[str, object], revoked: set[str]
) -> None:
    one, other = await stored(store, Example("a")), await stored(store, Example("b"))
    at = NOW + timedelta(hours=1)
    async with store.write() as unit:
        for lease in (one.lease, one.another_lease("lease_a2"), other.lease):
            await unit.put_lease(lease)
        ended = await unit.revoke_leases(at, **by)  # type: ignore[arg-type]  # a table of keywords

    async with store.read() as state:
        all_leases = [
            *await state.leases(one.execution.id),
            *await state.leases(other.execution.id),
        ]
        assert {each.id for each in all_leases if each.revoked_at == at} == revoked
        assert all(each.revoked_at in {None, at} for each in all_leases)
        assert {each.id for each in ended if each.revoked_at == at} == revoked


@requirement("store:leases:revoked")
async def test_a_lease_is_revoked_once_and_only_while_it_is_live(
    store: Store, example: Example
) -> None:
    by = example.execution.id
    async with store.write() as unit:
        await unit.put_lease(example.lease)
        assert not await unit.revoke_leases(example.lease.expires_at, execution=by)
        assert len(await unit.revoke_leases(NOW, execution=by)) == 1
        assert not await unit.revoke_leases(NOW + timedelta(hours=1), execution=by)
        with pytest.raises(ValueError, match="which"):
            await unit.revoke_leases(NOW)

    async with store.read() as state:
        assert await state.lease(example.lease.token_hash) == replace(example.lease, revoked_at=NOW)


async def test_live_leases_of_a_workspace_are_counted(store: Store) -> None:
    one, other = await stored(store, Example("a")), await stored(store, Example("b"))
    expiry = one.lease.expires_at
    async with store.write() as unit:
        await unit.put_lease(one.lease)
        await unit.put_lease(replace(one.another_lease("x"), revoked_at=NOW))
        await unit.put_lease(other.lease)

    async with store.read() as state:
        assert await state.live_leases(one.workspace.id, NOW) == 1
        assert await state.live_leases(one.workspace.id, expiry - timedelta(microseconds=1)) == 1
        assert await state.live_leases(one.workspace.id, expiry) == 0


async def changes(state: Reader) -> list[tuple[TaskChange, str, str]]:
    return [(each.change, each.task.id, each.task.title) for each in await state.task_events(0, 99)]


@requirement("store:outbox:one-event")
async def test_every_change_of_a_task_is_published_once(store: Store, example: Example) -> None:
    renamed = replace(example.task, title="Sell less")
    archived = replace(renamed, state=TaskState.ARCHIVED)
    for task in (renamed, renamed, archived):
        async with store.write() as unit:
            await unit.put_task(task)
    async with store.write() as unit:
        assert await unit.remove_task(example.task.id)
        assert not await unit.remove_task(example.task.id)

    async with store.read() as state:
        assert await changes(state) == [
            (TaskChange.CREATED, "task_a", "Sell more"),
            (TaskChange.UPDATED, "task_a", "Sell less"),
            (TaskChange.UPDATED, "task_a", "Sell less"),
            (TaskChange.DELETED, "task_a", "Sell less"),
        ]
        found = await state.task_events(0, 99)
        assert [each.sequence for each in found] == [1, 2, 3, 4]
        assert [each.task for each in found] == [example.task, renamed, archived, archived]
        assert {each.at for each in found} == {NOW}


async def test_the_parts_of_a_task_and_a_named_one_are_found(
    store: Store, example: Example
) -> None:
    first, second = [
        replace(example.task, id=TaskId(name), parent=example.task.id, external_id=external)
        for name, external in (("task_b", "GH-1"), ("task_c", None))
    ]
    workspace = example.workspace.id
    async with store.write() as unit:
        for each in (second, first):
            await unit.put_task(each)

    async with store.read() as state:
        assert await state.children(example.task.id) == [first, second]
        assert await state.children(first.id) == []
        assert await state.task_named(workspace, "GH-1") == first
        assert await state.task_named(workspace, "gh-1") is None
        assert await state.task_named(WorkspaceId("other"), "GH-1") is None
        assert [each.task for each in await state.task_events(0, 99)][-2:] == [second, first]


@requirement("store:outbox:one-event")
async def test_a_unit_tells_what_it_made_of_a_task_as_a_whole(
    store: Store, example: Example
) -> None:
    new = replace(example.task, id=TaskId("task_new"))
    brief = replace(example.task, id=TaskId("task_brief"))
    async with store.write() as unit:
        await unit.put_task(new)
        await unit.put_task(replace(new, title="Renamed at once"))
        await unit.put_task(brief)
        await unit.remove_task(brief.id)
        await unit.put_task(replace(example.task, title="There"))
        await unit.put_task(example.task)

    async with store.read() as state:
        assert await changes(state) == [
            (TaskChange.CREATED, "task_a", "Sell more"),
            (TaskChange.CREATED, "task_new", "Renamed at once"),
        ]


@requirement("store:outbox:one-event")
async def test_a_task_works_elsewhere_is_a_change_of_it(store: Store, example: Example) -> None:
    async with store.write() as unit:
        await unit.put_task(
            replace(example.task, repositories=(TaskRepository(example.repository.id, None),))
        )

    async with store.read() as state:
        assert [each.change for each in await state.task_events(1, 99)] == [TaskChange.UPDATED]


@requirement("store:outbox:taken-once")
async def test_each_consumer_takes_each_event_once(store: Store, example: Example) -> None:
    async with store.write() as unit:
        await unit.put_task(replace(example.task, title="Two"))
    async with store.write() as unit:
        await unit.put_task(replace(example.task, title="Three"))

    taken: dict[str, list[int]] = {"one": [], "two": []}
    for consumer in ("one", "two", "one", "one"):
        async with store.write() as unit:
            taken[consumer] += [each.sequence for each in await unit.take_task_events(consumer, 2)]

    assert taken == {"one": [1, 2, 3], "two": [1, 2]}


@requirement("store:outbox:pruned")
async def test_old_events_go_the_oldest_first_once_every_consumer_has_taken_them(
    store: Store, example: Example
) -> None:
    for title in ("Two", "Three", "Four"):
        async with store.write() as unit:
            await unit.put_task(replace(example.task, title=title))
    later = NOW + timedelta(microseconds=1)

    async with store.write() as unit:
        assert await unit.prune_task_events(NOW, 9) == 0
        assert await unit.prune_task_events(later, 1) == 1
        assert [each.sequence for each in await unit.task_events(0, 9)] == [2, 3, 4]
        await unit.take_task_events("quick", 9)
        await unit.take_task_events("slow", 1)
        assert await unit.prune_task_events(later, 9) == 1
        assert [each.sequence for each in await unit.take_task_events("slow", 9)] == [3, 4]
        assert await unit.prune_task_events(later, 9) == 2

    async with store.write() as unit:
        await unit.put_task(replace(example.task, title="Five"))
    async with store.write() as unit:
        assert [each.sequence for each in await unit.take_task_events("slow", 9)] == [5]


@requirement("store:outbox:taken-once")
async def test_what_a_unit_took_before_it_was_undone_is_given_again(
    store: Store, example: Example
) -> None:
    with pytest.raises(StopError):  # noqa: PT012 -- the unit is what raises
        async with store.write() as unit:
            assert len(await unit.take_task_events("one", 9)) == 1
            raise StopError

    async with store.write() as unit:
        assert [each.task for each in await unit.take_task_events("one", 9)] == [example.task]


@requirement("store:task:removed-whole")
async def test_a_task_goes_with_all_that_hangs_on_it(store: Store) -> None:
    gone, kept = await stored(store, Example("a")), await stored(store, Example("b"))
    async with store.write() as unit:
        for each in (gone, kept):
            await unit.put_turn(each.turn)
            await unit.put_lease(each.lease)
            await unit.append_events(each.session.id, each.execution.id, events([1]))
        await unit.remove_task(gone.task.id)

    async with store.read() as state:
        assert await state.session(gone.session.id) is None
        assert await state.execution(gone.execution.id) is None
        assert await state.turn(gone.turn.id) is None
        assert await state.lease(gone.lease.token_hash) is None
        assert list(await state.events(gone.session.id, 0, 9)) == []
        assert await state.repository(gone.repository.id) == gone.repository
        assert await state.lease(kept.lease.token_hash) == kept.lease
        assert len(await state.events(kept.session.id, 0, 9)) == 1


@pytest.mark.parametrize(
    "at",
    [
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        datetime(1970, 1, 1, tzinfo=UTC),
        NOW.replace(microsecond=0),
    ],
)
async def test_an_instant_keeps_its_moment(store: Store, at: datetime) -> None:
    workspace = replace(Example().workspace, created_at=at)
    async with store.write() as unit:
        await unit.put_workspace(workspace)

    async with store.read() as state:
        found = await state.workspace(workspace.id)
        assert found is not None
        assert found.created_at == at
        assert found.created_at.utcoffset() == timedelta(0)


async def test_an_instant_without_an_offset_is_refused(store: Store) -> None:
    async with store.write() as unit:
        with pytest.raises(ValueError, match="offset"):
            await unit.put_workspace(
                replace(Example().workspace, created_at=datetime(2026, 1, 1))  # noqa: DTZ001 -- the mistake
            )


BATCHES = st.lists(st.lists(st.integers(1, 12), max_size=6), max_size=6)


@requirement("store:events:once")
@settings(max_examples=12)
@given(batches=BATCHES)
def test_whatever_comes_again_and_however_each_event_is_numbered_once(
    batches: list[list[int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def run(root: Path) -> None:
        async with open_store(
            root / "kandev.db", backups=root, version="1", clock=ManualClock(NOW)
        ) as store:
            example = await stored(store, Example())
            for batch in batches:
                async with store.write() as unit:
                    await unit.append_events(
                        example.session.id, example.execution.id, events(batch)
                    )
            async with store.read() as state:
                found = await state.events(example.session.id, 0, 99)
            first_seen = list(dict.fromkeys(number for batch in batches for number in batch))
            assert [each.execution_sequence for each in found] == first_seen
            assert [each.sequence for each in found] == list(range(1, len(first_seen) + 1))

    asyncio.run(run(tmp_path_factory.mktemp("store")))


async def test_a_repository_keeps_what_it_asks_for_until_it_is_gone(
    store: Store, example: Example
) -> None:
    key = example.repository.id
    asked = RepositorySettings(
        ".env, a:symlink", "make", "make clean", FailurePolicy.BLOCK, "x/{title}"
    )

    async with store.write() as unit:
        assert await unit.repository_settings(key) == RepositorySettings()
        await unit.put_repository_settings(key, RepositorySettings("other"))
        await unit.put_repository_settings(key, asked)

    async with store.write() as unit:
        assert await unit.repository_settings(key) == asked
        await unit.remove_task(example.task.id)
        await unit.remove_workspace(example.workspace.id)
        assert await unit.repository_settings(key) == RepositorySettings()


async def test_what_is_stored_is_counted_by_state(store: Store, example: Example) -> None:
    async with store.write() as unit:
        await unit.put_task(replace(example.task, id=TaskId("other"), state=TaskState.ARCHIVED))

    async with store.read() as state:
        assert await state.tally() == Tally(
            {"open": 1, "archived": 1}, {"idle": 1}, {"live": 1}, outbox=2
        )
