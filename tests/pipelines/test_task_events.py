"""What the use cases publish of tasks: one event for each change of each task, and nothing else."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from domain.task import Task
from domain.task_event import EVENT_LIFE, TaskChange
from pipelines import delete_workspace, prune_outbox
from pipelines.prune_outbox import PruneOutbox
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Act = Callable[[Plane, Task], Awaitable[object]]


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def nothing(_plane: Plane, _task: Task) -> object:
    return None


async def detach(plane: Plane, task: Task) -> object:
    return await plane.api.detach_repository(OWNER, task.id, task.repositories[0].repository)


async def launch(plane: Plane, task: Task) -> object:
    return (await plane.launched(task.id)).unwrap()


async def archive(plane: Plane, task: Task) -> object:
    return await plane.api.archive_task(OWNER, task.id)


async def archive_twice(plane: Plane, task: Task) -> object:
    await archive(plane, task)
    return await archive(plane, task)


async def restore(plane: Plane, task: Task) -> object:
    await archive(plane, task)
    return await plane.api.restore_task(OWNER, task.id)


async def delete(plane: Plane, task: Task) -> object:
    return await plane.api.delete_task(OWNER, task.id)


async def changes(plane: Plane) -> list[tuple[TaskChange, str]]:
    async with plane.store.read() as state:
        return [(each.change, each.task.id) for each in await state.task_events(0, 999)]


@requirement("store:outbox:bulk")
@pytest.mark.parametrize(
    ("act", "published"),
    [
        (nothing, []),
        (launch, []),
        (detach, [TaskChange.UPDATED]),
        (archive, [TaskChange.UPDATED]),
        (archive_twice, [TaskChange.UPDATED]),
        (restore, [TaskChange.UPDATED, TaskChange.UPDATED]),
        (delete, [TaskChange.UPDATED, TaskChange.DELETED]),
    ],
)
async def test_a_use_case_publishes_each_change_of_its_task_once(
    plane: Plane, act: Act, published: list[TaskChange]
) -> None:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    repositories = [await plane.repository(workspace, name) for name in ("app", "other")]
    task = await plane.task(workspace, *(each.id for each in repositories))

    await act(plane, task)

    assert await changes(plane) == [(each, task.id) for each in (TaskChange.CREATED, *published)]


@requirement("store:outbox:bulk")
@pytest.mark.parametrize("page", [1, 2, 5, 100])
async def test_a_deleted_workspace_publishes_the_removal_of_each_of_its_tasks(
    plane: Plane, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(delete_workspace, "PAGE", page)
    doomed, other = await plane.workspace(), await plane.workspace()
    for workspace in (doomed, other):
        (await plane.connected(workspace)).unwrap()
    repository, elsewhere = [await plane.repository(each) for each in (doomed, other)]
    tasks = [await plane.task(doomed, repository.id) for _ in range(5)]
    kept = await plane.task(other, elsewhere.id)

    (await plane.api.delete_workspace(OWNER, doomed)).unwrap()

    created = [(TaskChange.CREATED, each.id) for each in (*tasks, kept)]
    assert await changes(plane) == created + [(TaskChange.DELETED, each.id) for each in tasks]


@requirement("store:outbox:pruned")
@pytest.mark.parametrize("batch", [1, 2, 3, 1000])
async def test_events_are_pruned_batch_by_batch_when_they_are_older_than_their_life(
    plane: Plane, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(prune_outbox, "PRUNED_AT_ONCE", batch)
    prune = PruneOutbox(plane.store, plane.clock)
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    repository = await plane.repository(workspace)
    for _ in range(3):
        await plane.task(workspace, repository.id)

    plane.clock.advance(EVENT_LIFE)
    assert await prune() == 0
    plane.clock.advance(timedelta(microseconds=1))
    assert await prune() == 3
    assert await changes(plane) == []
