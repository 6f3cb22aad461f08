"""Counts of what is stored."""

from collections.abc import Mapping
from functools import cache

from sqlalchemy import Select, func, select
from sqlmodel import SQLModel

from adapters.sqlite.tables import ExecutionRow, SessionRow, TaskEventRow, TaskRow, table
from adapters.sqlite.unit import Unit
from domain.tally import Tally

__all__ = ("TallyReads",)

_OUTBOX = select(func.count()).select_from(table(TaskEventRow))


@cache
def _by_state(row: type[SQLModel]) -> Select[*tuple[object, ...]]:
    state = table(row).c.state
    return select(state, func.count()).group_by(state)


class TallyReads(Unit):
    __slots__ = ()

    async def tally(self) -> Tally:
        outbox = await self._on.one(_OUTBOX, {})
        return Tally(
            await self._counts(TaskRow),
            await self._counts(SessionRow),
            await self._counts(ExecutionRow),
            0 if outbox is None else int(outbox[0]),
        )

    async def _counts(self, row: type[SQLModel]) -> Mapping[str, int]:
        return dict(await self._on.rows(_by_state(row), {}))
