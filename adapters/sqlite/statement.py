"""Statements in SQLAlchemy Core, compiled once and executed on the driver's own connection.

The driver knows nothing of SQLAlchemy's types: what goes in and comes out is text, integers and
bytes, as the tables have them.
"""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import (
    BindParameter,
    Delete,
    Dialect,
    Insert,
    Update,
    bindparam,
    delete,
    insert,
    or_,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import SelectBase
from sqlmodel import SQLModel

from adapters.sqlite.tables import table

__all__ = (
    "Compiled",
    "Statement",
    "change",
    "compiled",
    "compiled_for",
    "given",
    "members_given",
    "one_of",
    "place",
    "remove",
)

Statement: TypeAlias = SelectBase | UpdateBase

_DIALECT = sqlite.dialect()


class Compiled(NamedTuple):
    """SQL with places in order, and how to fill them from values by name.

    `changes` is the table that it writes, None for a question.
    """

    sql: str
    arguments: Callable[[Mapping[str, object]], tuple[object, ...]]
    changes: str | None


@cache
def compiled(statement: Statement) -> Compiled:
    """For SQLite."""
    return compiled_for(statement, _DIALECT)


def compiled_for(statement: Statement, dialect: Dialect) -> Compiled:
    """For a dialect whose places are filled by position."""
    built = statement.compile(dialect=dialect)
    constants = {name: value for name, value in built.params.items() if value is not None}
    changes = str(statement.table) if isinstance(statement, UpdateBase) else None
    return Compiled(str(built), _arguments(tuple(built.positiontup or ()), constants), changes)


def _arguments(
    names: tuple[str, ...], constants: Mapping[str, object]
) -> Callable[[Mapping[str, object]], tuple[object, ...]]:
    """The quickest way from values by name to values in order, for these names."""
    if constants:
        return lambda values: tuple([
            constants[name] if name in constants else values[name] for name in names
        ])
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple([values[name] for name in names])


def given(name: str) -> BindParameter[Any]:
    """A place that the caller fills at each execution; its type is the column's beside it."""
    return bindparam(name)


def one_of(column: ColumnElement[Any], kind: type[StrEnum]) -> ColumnElement[bool]:
    """Whether the column is one of the members that `members_given` fills in."""
    return or_(*(column == given(f"member_{number}") for number in range(len(kind))))


def members_given(members: Collection[StrEnum], kind: type[StrEnum]) -> Mapping[str, object]:
    """The places of `one_of`: each member, the first again where there are fewer than places."""
    values = sorted({member.value for member in members})
    padded = (*values, *values[:1] * (len(kind) - len(values)))
    return {f"member_{number}": value for number, value in enumerate(padded)}


@cache
def place(row: type[SQLModel]) -> Insert:
    """Insert a row, every column given by its name."""
    target = table(row)
    return insert(target).values({each: given(each.name) for each in target.columns})


@cache
def change(row: type[SQLModel]) -> Update:
    """Write every column of the row with the given key."""
    target = table(row)
    key = set(target.primary_key.columns)
    return (
        update(target)
        .where(*(each == given(each.name) for each in target.primary_key))
        .values({each: given(each.name) for each in target.columns if each not in key})
    )


@cache
def remove(row: type[SQLModel]) -> Delete:
    """Delete the row with the given key."""
    target = table(row)
    return delete(target).where(*(each == given(each.name) for each in target.primary_key))
