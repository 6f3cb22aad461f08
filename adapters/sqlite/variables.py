"""Stored environments: one row a variable, of a profile or of a repository."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Delete, Insert, Select, delete, select
from sqlmodel import SQLModel

from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, place
from adapters.sqlite.tables import ProfileVariableRow, RepositoryVariableRow, table
from domain.stored_environment import StoredEnvironment

__all__ = ("OF_PROFILE", "OF_REPOSITORY", "VariableStatements", "environment_of", "rows_of")


class VariableStatements(NamedTuple):
    """What is asked of one table of variables; `owner` is the column of who they belong to."""

    owner: str
    read: Select[tuple[str, str | None, bytes | None]]
    clear: Delete
    add: Insert


def _statements(row: type[SQLModel], owner: str) -> VariableStatements:
    variables = table(row)
    is_owner = variables.c[owner] == given("owner")
    read = select(variables.c.name, variables.c.value, variables.c.sealed).where(is_owner)
    return VariableStatements(
        owner, read.order_by(variables.c.name), delete(variables).where(is_owner), place(row)
    )


OF_PROFILE = _statements(ProfileVariableRow, "profile_id")
OF_REPOSITORY = _statements(RepositoryVariableRow, "repository_id")


def environment_of(rows: Sequence[Row]) -> StoredEnvironment:
    return StoredEnvironment(
        {name: value for name, value, _ in rows if value is not None},
        {
            name: None if sealed is None else bytes(sealed)
            for name, value, sealed in rows
            if value is None
        },
    )


def rows_of(
    statements: VariableStatements, owner: str, environment: StoredEnvironment
) -> Iterator[Mapping[str, object]]:
    for name, value in environment.literals.items():
        yield {statements.owner: owner, "name": name, "value": value, "sealed": None}
    for name, sealed in environment.sealed.items():
        yield {statements.owner: owner, "name": name, "value": None, "sealed": sealed}
