"""Numbers that only grow, by name."""

from sqlalchemy import func, literal_column, select

from adapters.sqlite.statement import given
from adapters.sqlite.tables import CounterRow, table
from adapters.sqlite.unit import Unit

__all__ = ("Counters",)

_COUNTER = table(CounterRow).c
_VALUE = select(_COUNTER.value).where(_COUNTER.name == given("name"))
_LEAST = select(func.min(_COUNTER.value)).where(
    func.substr(_COUNTER.name, literal_column("1"), given("length")) == given("prefix")
)


class Counters(Unit):
    __slots__ = ()

    async def _counter(self, name: str) -> int:
        """What it was raised to last, 0 before."""
        row = await self._on.one(_VALUE, {"name": name})
        return 0 if row is None else int(row[0])

    async def _least_counter(self, prefix: str) -> int | None:
        """The least of those whose names begin so; None when there is none."""
        row = await self._on.one(_LEAST, {"prefix": prefix, "length": len(prefix)})
        return None if row is None else row[0]

    async def _raise_counter(self, name: str, value: int) -> None:
        await self._put(CounterRow, {"name": name, "value": value})
