"""Tasks with the repositories they work in, and the outbox of what happened to them."""

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from sqlalchemy import FromClause, Select, delete, insert, select

from adapters.sqlite.columns import from_text, members, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.counters import Counters
from adapters.sqlite.statement import change, given, place, remove
from adapters.sqlite.tables import TaskEventRow, TaskRepositoryRow, TaskRow, table
from domain.change import TaskChanged
from domain.identity import TaskId, WorkspaceId
from domain.task import Task, TaskRepository, TaskState
from domain.task_event import TaskChange, TaskEvent, change_of

__all__ = ("CONSUMERS", "ONE", "PAGE", "TaskReads", "TaskWrites")

_STATES = members(TaskState)
_TASKS = table(TaskRow)
_WORKS_IN = table(TaskRepositoryRow)
_EVENTS = table(TaskEventRow)


def _with_repositories(tasks: FromClause) -> Select[*tuple[object, ...]]:
    """One row for each repository of each task, the repository absent for a task without one."""
    return (
        select(
            *tasks.c,
            _WORKS_IN.c.repository_id,
            _WORKS_IN.c.base,
            _WORKS_IN.c.checkout,
            _WORKS_IN.c.pull_request,
        )
        .select_from(tasks.outerjoin(_WORKS_IN, _WORKS_IN.c.task_id == tasks.c.id))
        .order_by(tasks.c.id, _WORKS_IN.c.position)
    )


ONE = _with_repositories(_TASKS).where(_TASKS.c.id == given("id"))
PAGE = _with_repositories(
    select(_TASKS)
    .where(_TASKS.c.workspace_id == given("workspace"), _TASKS.c.id > given("after"))
    .order_by(_TASKS.c.id)
    .limit(given("limit"))
    .subquery()
)
_CHILDREN = _with_repositories(
    select(_TASKS).where(_TASKS.c.parent_id == given("parent")).subquery()
)
_NAMED = _with_repositories(_TASKS).where(
    _TASKS.c.workspace_id == given("workspace"), _TASKS.c.external_id == given("external_id")
)
_FREE_REPOSITORIES = delete(_WORKS_IN).where(_WORKS_IN.c.task_id == given("id"))
_EVENTS_AFTER = (
    select(_EVENTS.c.sequence, _EVENTS.c.change, _EVENTS.c.task, _EVENTS.c.at)
    .where(_EVENTS.c.sequence > given("after"))
    .order_by(_EVENTS.c.sequence)
    .limit(given("limit"))
)
_ADD_EVENT = insert(_EVENTS).values({
    each: given(each.name) for each in _EVENTS.c if each is not _EVENTS.c.sequence
})
_FIRST_SINCE = (
    select(_EVENTS.c.sequence)
    .where(_EVENTS.c.at >= given("since"))
    .order_by(_EVENTS.c.sequence)
    .limit(1)
)
_FREE_EVENTS = delete(_EVENTS).where(
    _EVENTS.c.sequence.in_(
        select(_EVENTS.c.sequence)
        .where(_EVENTS.c.sequence <= given("through"), _EVENTS.c.sequence < given("before"))
        .order_by(_EVENTS.c.sequence)
        .limit(given("limit"))
    )
)
CONSUMERS = "task_events:"
_LAST = 2**63 - 1


class TaskReads(Counters):
    __slots__ = ()

    async def task(self, task: TaskId) -> Task | None:
        rows = await self._on.rows(ONE, {"id": task})
        return _task(rows) if rows else None

    async def tasks(self, workspace: WorkspaceId, after: str | None, limit: int) -> Sequence[Task]:
        values = {"workspace": workspace, "after": after or "", "limit": limit}
        rows = await self._on.rows(PAGE, values)
        return [_task(list(joined)) for _, joined in groupby(rows, itemgetter(0))]

    async def children(self, task: TaskId) -> Sequence[Task]:
        rows = await self._on.rows(_CHILDREN, {"parent": task})
        return [_task(list(joined)) for _, joined in groupby(rows, itemgetter(0))]

    async def task_named(self, workspace: WorkspaceId, external_id: str) -> Task | None:
        values = {"workspace": workspace, "external_id": external_id}
        rows = await self._on.rows(_NAMED, values)
        return _task(rows) if rows else None

    async def task_events(self, after: int, limit: int) -> Sequence[TaskEvent]:
        rows = await self._on.rows(_EVENTS_AFTER, {"after": after, "limit": limit})
        return [
            TaskEvent(sequence, TaskChange(change), _from_snapshot(task), from_text(at))
            for sequence, change, task, at in rows
        ]


class TaskWrites(TaskReads):
    __slots__ = ()

    async def put_task(self, task: Task) -> None:
        before = await self.task(task.id)
        if before == task:
            return
        row = {
            "id": task.id,
            "workspace_id": task.workspace,
            "title": task.title,
            "prompt": task.prompt,
            "state": task.state.value,
            "created_at": to_text(task.created_at),
            "parent_id": task.parent,
            "external_id": task.external_id,
        }
        works_in = [
            {
                "task_id": task.id,
                "position": position,
                "repository_id": each.repository,
                "base": each.base,
                "checkout": each.checkout,
                "pull_request": each.pull_request,
            }
            for position, each in enumerate(task.repositories)
        ]
        await self._change_task(
            before,
            task,
            (
                (place(TaskRow) if before is None else change(TaskRow), [row]),
                (_FREE_REPOSITORIES, [row]),
                (place(TaskRepositoryRow), works_in),
            ),
        )

    async def remove_task(self, task: TaskId) -> bool:
        before = await self.task(task)
        if before is not None:
            await self._change_task(before, None, ((remove(TaskRow), [{"id": task}]),))
        return before is not None

    async def take_task_events(self, consumer: str, limit: int) -> Sequence[TaskEvent]:
        name = CONSUMERS + consumer
        events = await self.task_events(await self._counter(name), limit)
        if events:
            await self._raise_counter(name, events[-1].sequence)
        return events

    async def prune_task_events(self, before: datetime, limit: int) -> int:
        young = await self._on.one(_FIRST_SINCE, {"since": to_text(before)})
        taken = await self._least_counter(CONSUMERS)
        values = {
            "through": _LAST if taken is None else taken,
            "before": _LAST if young is None else young[0],
            "limit": limit,
        }
        return await self._run(_FREE_EVENTS, values)

    async def publish(self, at: datetime) -> None:
        """Put one event into the outbox for every task that the unit leaves changed."""
        for before, after in self._changed.values():
            what = change_of(before, after)
            task = after or before
            if what is not None and task is not None:
                self._note(TaskChanged(before, after))
                await self._run(
                    _ADD_EVENT,
                    {
                        "task_id": task.id,
                        "change": what.value,
                        "task": _to_snapshot(task),
                        "at": to_text(at),
                    },
                )
        self._changed.clear()


def _task(rows: Sequence[Row]) -> Task:
    """The task of the rows, of which there is one for each repository, and one for none."""
    key, workspace, title, prompt, state, created, parent, external_id, *_ = rows[0]
    return Task(
        TaskId(key),
        WorkspaceId(workspace),
        title,
        prompt,
        _STATES[state],
        tuple([TaskRepository(*row[-4:]) for row in rows if row[-4] is not None]),
        from_text(created),
        TaskId(parent) if parent is not None else None,
        external_id,
    )


def _to_snapshot(task: Task) -> str:
    return json.dumps(
        {
            "id": task.id,
            "workspace": task.workspace,
            "title": task.title,
            "prompt": task.prompt,
            "state": task.state.value,
            "repositories": [
                [each.repository, each.base, each.checkout, each.pull_request]
                for each in task.repositories
            ],
            "created_at": to_text(task.created_at),
            "parent": task.parent,
            "external_id": task.external_id,
        },
        separators=(",", ":"),
    )


def _from_snapshot(text: str) -> Task:
    fields = json.loads(text)
    return Task(
        TaskId(fields["id"]),
        WorkspaceId(fields["workspace"]),
        fields["title"],
        fields["prompt"],
        TaskState(fields["state"]),
        tuple(TaskRepository(*each) for each in fields["repositories"]),
        from_text(fields["created_at"]),
        fields.get("parent"),
        fields.get("external_id"),
    )
