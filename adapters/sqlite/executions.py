"""Executions; how far their events are stored never goes back."""

from collections.abc import Sequence

from sqlalchemy import select, update

from adapters.sqlite.columns import from_text, members, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, members_given, one_of
from adapters.sqlite.tables import ExecutionRow, table
from adapters.sqlite.unit import Unit
from domain.execution import Execution, ExecutionState, ExecutorType
from domain.identity import ExecutionId, SessionId, TaskId

__all__ = ("ExecutionReads", "ExecutionWrites")

_STATES = members(ExecutionState)
_EXECUTORS = members(ExecutorType)
_EXECUTIONS = table(ExecutionRow)
_EXECUTION = _EXECUTIONS.c
_ONE = select(_EXECUTIONS).where(_EXECUTION.id == given("id"))
_IN_STATES = (
    select(_EXECUTIONS).where(one_of(_EXECUTION.state, ExecutionState)).order_by(_EXECUTION.id)
)
_ADVANCE = (
    update(_EXECUTIONS)
    .where(_EXECUTION.id == given("id"), _EXECUTION.acknowledged < given("through"))
    .values(acknowledged=given("through"))
)


class ExecutionReads(Unit):
    __slots__ = ()

    async def execution(self, execution: ExecutionId) -> Execution | None:
        row = await self._on.one(_ONE, {"id": execution})
        return None if row is None else _execution(row)

    async def executions_in(self, states: Sequence[ExecutionState]) -> Sequence[Execution]:
        if not states:
            return ()
        rows = await self._on.rows(_IN_STATES, members_given(states, ExecutionState))
        return [_execution(row) for row in rows]


class ExecutionWrites(ExecutionReads):
    __slots__ = ()

    async def put_execution(self, execution: Execution) -> None:
        stored = await self.execution(execution.id)
        values = {
            "id": execution.id,
            "task_id": execution.task,
            "session_id": execution.session,
            "executor": execution.executor.value,
            "state": execution.state.value,
            "acknowledged": max(execution.acknowledged, stored.acknowledged if stored else 0),
            "created_at": to_text(execution.created_at),
        }
        await self._put(ExecutionRow, values)

    async def _advance(self, execution: ExecutionId, through: int) -> None:
        await self._run(_ADVANCE, {"id": execution, "through": through})


def _execution(row: Row) -> Execution:
    key, task, session, executor, state, acknowledged, created = row
    return Execution(
        ExecutionId(key),
        TaskId(task),
        SessionId(session),
        _EXECUTORS[executor],
        _STATES[state],
        acknowledged,
        from_text(created),
    )
