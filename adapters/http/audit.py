"""Routes of the audit log: a page of it, or all of it as a file."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter, SkipValidation
from litestar.response import Stream

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.audit import MAX_AUDIT_PAGE, Deed, json_line, record_of
from domain.principal import Principal

__all__ = ("Audit",)


class Audit(Controller):
    path = "/api/v1/audit"
    tags = ("audit",)

    @get()
    async def page(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=MAX_AUDIT_PAGE)] = MAX_AUDIT_PAGE,
    ) -> list[dict[str, Any]]:
        """Entries in the order of their numbers; `after` continues behind the last one's."""
        page = accepted(await api.audit(principal, after, limit))
        return [dict(record_of(each)) for each in page]

    @get("/export", media_type="application/x-ndjson")
    async def export(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> Stream:
        """All that the principal reads, as JSON lines."""
        accepted(await api.audit(principal, 0, 1))
        await api.audit.exported(principal, Deed.AUDIT_EXPORTED)
        return Stream(
            lines(api, principal),
            media_type="application/x-ndjson",
            headers={
                "content-disposition": 'attachment; filename="audit.jsonl"',
                "cache-control": "no-store",
            },
        )


async def lines(api: Api, principal: Principal) -> AsyncIterator[str]:
    after = 0
    while page := accepted(await api.audit(principal, after, MAX_AUDIT_PAGE)):
        yield "".join(json_line(each) for each in page)
        after = page[-1].sequence
