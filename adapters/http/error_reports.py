"""The route by which a page reports the error that it shows: counted first, read only then."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
import structlog
from litestar import Controller, Request, Response, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from adapters.http.api import Api
from adapters.http.bundle_answers import BundleRefusalError, on_bundle_refusal
from adapters.http.bundles import owner_of
from adapters.http.problem_details import Details, bad, problem_response
from domain.error_report import (
    MAX_REPORT_BYTES,
    bounded,
    plain_url,
)
from domain.principal import Principal

__all__ = ("ErrorReports",)

log = structlog.get_logger()


class ReportSource(StrEnum):
    """What of the page shows errors."""

    SONNER = "sonner"
    TOAST_PROVIDER = "toast-provider"


class Viewport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    width: int
    height: int


class Problem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
    message: str = ""
    stack: str = ""


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: ReportSource
    client_timestamp: datetime | None = None
    task_id: str = ""
    title: str = ""
    description: str = ""
    url: str = ""
    user_agent: str = ""
    language: str = ""
    platform: str = ""
    viewport: Viewport | None = None
    stack: str = ""
    error: Problem | None = None


class ErrorReports(Controller):
    path = "/api/v1/diagnostics/frontend-errors"
    tags = ("diagnostics",)
    exception_handlers = {BundleRefusalError: on_bundle_refusal}  # noqa: RUF012 -- Litestar reads it

    @post(request_max_body_size=MAX_REPORT_BYTES)
    async def report(
        self,
        request: Request[Any, Any, Any],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> Response[Any]:
        """Write one entry into the log; 429 says when to come again."""
        owner = owner_of(principal)
        now = api.clock.monotonic()
        if wait := api.report_meters.reports.take(owner, 1, now):
            return too_many(wait)
        body = await request.body()
        try:
            report = msgspec.json.decode(body, type=Report)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return refused("The body is not one report.")
        if wait := api.report_meters.bytes.take(owner, max(1, len(body)), now):
            return too_many(wait)
        at = report.client_timestamp
        if at is not None and at.tzinfo is None:
            return refused("The time has no zone.")
        if not (report.title.strip() or report.description.strip()):
            return refused("It has neither a title nor a description.")
        log.error("frontend error toast", reporting_user_id=owner, **fields_of(report))
        return Response(None, status_code=204)


def fields_of(report: Report) -> dict[str, object]:
    """What is logged: the client's words within their bounds, and whether they were cut."""
    error = report.error or Problem()
    text = bounded({
        "task_id": report.task_id,
        "title": report.title,
        "description": report.description,
        "url": plain_url(report.url),
        "user_agent": report.user_agent,
        "language": report.language,
        "platform": report.platform,
        "stack": report.stack,
        "error_name": error.name,
        "error_message": error.message,
        "error_stack": error.stack,
    })
    fields: dict[str, object] = {"source": report.source.value, **text.fields}
    if report.client_timestamp is not None:
        fields["client_timestamp"] = report.client_timestamp.isoformat()
    if report.viewport is not None:
        fields["viewport_width"] = report.viewport.width
        fields["viewport_height"] = report.viewport.height
    return fields | {"truncated": text.truncated}


def refused(detail: str) -> Response[Details]:
    return problem_response(bad("invalid_report", detail, "See the specification."))


def too_many(seconds: int) -> Response[Details]:
    text = "Too many errors are reported."
    answer = problem_response(
        Details(429, "too_many_reports", "Too many", text, "Come again when it says.")
    )
    answer.set_header("retry-after", str(seconds))
    return answer
