"""The tables and statements of the store in PostgreSQL's words.

Integers have 64 bits, as in SQLite. Text is ordered by its bytes whatever the database's collation
is: ids and instants are compared as SQLite does.
"""

from functools import cache
from typing import Any, Final

from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.dialects.postgresql.base import PGDDLCompiler, PGTypeCompiler
from typing_extensions import override

from adapters.sqlite.statement import Compiled, Statement, compiled_for

__all__ = ("TableDialect", "compiled")


_COLUMN_TYPES: Final = {
    " INTEGER": " BIGINT",
    " SERIAL": " BIGSERIAL",
    " VARCHAR": ' VARCHAR COLLATE "C"',
}


class _Columns(PGDDLCompiler):
    @override
    def get_column_specification(self, column: Any, **how: Any) -> str:  # Any: SQLAlchemy's own
        told: str = super().get_column_specification(column, **how)  # type: ignore[no-untyped-call]  # as above
        for theirs, ours in _COLUMN_TYPES.items():
            told = told.replace(theirs, ours, 1)
        return told


class TableDialect(psycopg.dialect):
    """psycopg's dialect, which makes columns of the store's types."""

    ddl_compiler = _Columns
    supports_statement_cache = True


class _Places(PGTypeCompiler):
    @override
    def visit_INTEGER(self, type_: Any, **how: Any) -> str:  # Any: as above
        return "BIGINT"


class _StatementDialect(psycopg.dialect):
    type_compiler_cls = _Places
    supports_statement_cache = True


_DIALECT: Final[Dialect] = _StatementDialect(paramstyle="format")  # type: ignore[no-untyped-call]  # as above


@cache
def compiled(statement: Statement) -> Compiled:
    return compiled_for(statement, _DIALECT)
