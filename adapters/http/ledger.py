"""Routes of the ledger: a page of it, or all that matches as a file."""

from collections.abc import AsyncIterator
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

from litestar import Controller, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromQuery, QueryParameter, SkipValidation
from litestar.response import Stream

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.audit import Deed
from domain.identity import RepositoryId, SessionId, TaskId, WorkspaceId
from domain.ledger import (
    MAX_PAGE,
    LedgerQuery,
    Operation,
    csv_line,
    json_line,
    record_of,
)
from domain.principal import Principal

__all__ = ("Ledger",)


class Format(StrEnum):
    JSON_LINES = "jsonl"
    CSV = "csv"


def provide_query(
    after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_PAGE)] = MAX_PAGE,
    workspace_id: FromQuery[str | None] = None,
    task_id: FromQuery[str | None] = None,
    session_id: FromQuery[str | None] = None,
    repository_id: FromQuery[str | None] = None,
    host: FromQuery[str | None] = None,
    operation: FromQuery[Operation | None] = None,
    result: FromQuery[str | None] = None,
) -> LedgerQuery:
    return LedgerQuery(
        after,
        limit,
        WorkspaceId(workspace_id) if workspace_id is not None else None,
        TaskId(task_id) if task_id is not None else None,
        SessionId(session_id) if session_id is not None else None,
        RepositoryId(repository_id) if repository_id is not None else None,
        host,
        operation,
        result,
    )


class Ledger(Controller):
    path = "/api/v1/ledger"
    dependencies = {"asked": Provide(provide_query, sync_to_thread=False)}  # noqa: RUF012 -- Litestar reads it
    tags = ("ledger",)

    @get()
    async def page(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        asked: NamedDependency[SkipValidation[LedgerQuery]],
    ) -> list[dict[str, Any]]:
        """Entries in the order of their numbers; `after` continues behind the last one's."""
        return [dict(record_of(each)) for each in accepted(await api.ledger(principal, asked))]

    @get("/export", media_type="application/x-ndjson")
    async def export(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        asked: NamedDependency[SkipValidation[LedgerQuery]],
        format: FromQuery[Format] = Format.JSON_LINES,  # noqa: A002 -- the name on the wire
    ) -> Stream:
        """Everything that matches, as JSON lines or CSV (RFC 4180)."""
        accepted(await api.ledger(principal, replace(asked, limit=1)))
        await api.audit.exported(principal, Deed.LEDGER_EXPORTED)
        media_type = "text/csv" if format is Format.CSV else "application/x-ndjson"
        return Stream(
            lines(api, principal, replace(asked, limit=MAX_PAGE), format),
            media_type=media_type,
            headers={
                "content-disposition": f'attachment; filename="ledger.{format.value}"',
                "cache-control": "no-store",
            },
        )


async def lines(
    api: Api, principal: Principal, query: LedgerQuery, chosen: Format
) -> AsyncIterator[str]:
    if chosen is Format.CSV:
        yield csv_line(None)
    while page := accepted(await api.ledger(principal, query)):
        line = csv_line if chosen is Format.CSV else json_line
        yield "".join(line(each) for each in page)
        query = replace(query, after=page[-1].sequence)
