"""Everything sealed that a database has, each value with the place it was sealed for.

A column of sealed values is named here once: a start, a rotation and a restore read no other list.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Select, Update, func, literal_column, select, update
from sqlmodel import SQLModel

from adapters.sqlite.bookkeeping import Driver
from adapters.sqlite.statement import given
from adapters.sqlite.tables import (
    AgentctlRow,
    ConnectionRow,
    ProfileVariableRow,
    RepositoryVariableRow,
    table,
)
from adapters.sqlite.unit import Unit
from domain.identity import ConnectionId, WorkspaceId
from ports.vault import AGENTCTL_KEY, SealedValue, SecretPlace, connection_place, variable_place

__all__ = ("SOURCES", "SealedReads", "SealedWrites", "Source", "sealed_in")


class Source(NamedTuple):
    """A column of sealed values, and the place of each by its row's key and owner.

    `owner` is the column that says whose the row is; None where it is the installation's. A row may
    hold no value.
    """

    row: type[SQLModel]
    column: str
    owner: str | None
    place: Callable[[str, str], SecretPlace]
    key: str = "id"

    @property
    def sealed(self) -> ColumnElement[bytes]:
        return table(self.row).c[self.column]


def _of_connection(key: str, owner: str) -> SecretPlace:
    return connection_place(ConnectionId(key), WorkspaceId(owner))


def _of_variable(name: str, owner: str) -> SecretPlace:
    return variable_place(owner, name)


SOURCES: Final = (
    Source(ConnectionRow, "sealed", "workspace_id", _of_connection),
    Source(AgentctlRow, "sealed_key", None, lambda _key, _owner: AGENTCTL_KEY),
    Source(ProfileVariableRow, "sealed", "profile_id", _of_variable, "name"),
    Source(RepositoryVariableRow, "sealed", "repository_id", _of_variable, "name"),
)


@cache
def _all(source: Source) -> Select[*tuple[object, ...]]:
    return select(source.sealed).where(source.sealed.is_not(None))


@cache
def _otherwise(source: Source) -> Select[*tuple[object, ...]]:
    """The rows whose value begins otherwise; a value shorter than that begins otherwise too."""
    rows = table(source.row)
    key = rows.c[source.key]
    owner = rows.c[source.owner] if source.owner else key
    begins = func.substr(source.sealed, literal_column("1"), given("length"))
    return (
        select(key, owner, source.sealed)
        .where(begins != given("beginning"))
        .order_by(owner, key)
        .limit(given("limit"))
    )


@cache
def _replace(source: Source) -> Update:
    """Found by the value itself: no two that were ever sealed are the same."""
    rows = table(source.row)
    return update(rows).where(source.sealed == given("old")).values({source.column: given("anew")})


class SealedReads(Unit):
    __slots__ = ()

    async def sealed_values(self) -> Sequence[bytes]:
        return [
            bytes(row[0]) for source in SOURCES for row in await self._on.rows(_all(source), {})
        ]

    async def sealed_otherwise(self, beginning: bytes, limit: int) -> Sequence[SealedValue]:
        found: list[SealedValue] = []
        for source in SOURCES:
            values = {
                "beginning": beginning,
                "length": len(beginning),
                "limit": limit - len(found),
            }
            for key, owner, sealed in await self._on.rows(_otherwise(source), values):
                found.append(SealedValue(source.place(str(key), str(owner)), bytes(sealed)))
        return found


class SealedWrites(SealedReads):
    __slots__ = ()

    async def replace_sealed(self, old: bytes, anew: bytes) -> bool:
        values = {"old": old, "anew": anew}
        counts = [await self._run(_replace(source), values) for source in SOURCES]
        return any(counts)


def sealed_in(driver: Driver, names: Collection[str]) -> Sequence[bytes]:
    """Everything sealed in a database with these tables: one that it lacks holds nothing."""
    return [
        bytes(sealed)
        for source in SOURCES
        if (rows := table(source.row)).name in names
        for (sealed,) in driver.execute(f"SELECT {source.column} FROM {rows.name}")  # noqa: S608 -- names of ours
        if sealed is not None
    ]
