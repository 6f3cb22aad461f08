"""What the repositories of a unit of work share: its connection, and the tasks that it changed.

A task changes through `_change_task` alone: the unit remembers each as it was and as it is, and its
end publishes one event for each that differs. Any other statement on the tables of a task is
refused, and no cascade reaches them: a task refers to nothing that would delete it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from sqlmodel import SQLModel

from adapters.sqlite.connection import Row
from adapters.sqlite.statement import Statement, change, compiled, place
from adapters.sqlite.tables import TaskRepositoryRow, TaskRow, table
from domain.change import Change
from domain.identity import TaskId
from domain.task import Task

__all__ = ("Connection", "Unit")

_TASK_TABLES: Final = frozenset(table(row).name for row in (TaskRow, TaskRepositoryRow))


class Connection(Protocol):
    """Executes statements in a transaction that its owner begins and ends."""

    async def one(self, statement: Statement, values: Mapping[str, object]) -> Row | None:
        """The first row, None when there is none."""
        ...

    async def rows(self, statement: Statement, values: Mapping[str, object]) -> Sequence[Row]: ...
    async def run(self, statement: Statement, values: Mapping[str, object]) -> int:
        """Execute a change; the count of rows that it matched."""
        ...

    async def run_many(
        self, statement: Statement, rows: Iterable[Mapping[str, object]]
    ) -> None: ...


class Unit:
    """A unit of work in progress; once it has ended it refuses everything."""

    __slots__ = ("_changed", "_connection", "_noted")

    def __init__(self, connection: Connection) -> None:
        self._connection: Connection | None = connection
        self._changed: dict[TaskId, tuple[Task | None, Task | None]] = {}
        self._noted: dict[Change, None] = {}

    def end(self) -> None:
        self._connection = None

    @property
    def noted(self) -> Iterable[Change]:
        """What the unit changed that somebody may follow, each change once."""
        return self._noted

    def _note(self, change: Change) -> None:
        self._noted[change] = None

    @property
    def _on(self) -> Connection:
        if self._connection is None:
            raise RuntimeError("the unit of work has ended")
        return self._connection

    async def _run(self, statement: Statement, values: Mapping[str, object]) -> int:
        """Execute a change of anything but a task; the count of rows that it matched."""
        if compiled(statement).changes in _TASK_TABLES:
            raise RuntimeError("a task changes through _change_task")
        return await self._on.run(statement, values)

    async def _run_many(self, statement: Statement, rows: Iterable[Mapping[str, object]]) -> None:
        if compiled(statement).changes in _TASK_TABLES:
            raise RuntimeError("a task changes through _change_task")
        await self._on.run_many(statement, rows)

    async def _put(self, row: type[SQLModel], values: Mapping[str, object]) -> bool:
        """Write the row with this key, or insert it; whether it is a new one."""
        if await self._run(change(row), values):
            return False
        await self._run(place(row), values)
        return True

    async def _change_task(
        self,
        before: Task | None,
        after: Task | None,
        statements: Iterable[tuple[Statement, Iterable[Mapping[str, object]]]],
    ) -> None:
        """Bring the rows of one task from `before`, which they say now, to `after`."""
        for statement, rows in statements:
            await self._on.run_many(statement, rows)
        task = before or after
        if task is not None:
            first, _ = self._changed.get(task.id, (before, None))
            self._changed[task.id] = (first, after)
