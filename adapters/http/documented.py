"""What every route says of itself: its problems in the OpenAPI document, its methods in `Allow`."""

from http import HTTPStatus
from typing import Any, Final

from litestar import HttpMethod, Request, Response
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import ResponseSpec
from litestar.plugins.base import ReceiveRoutePlugin
from litestar.routes import BaseRoute, HTTPRoute
from typing_extensions import override

from adapters.http.problem_details import MEDIA_TYPE, Details

__all__ = ("PROBLEMS", "DocumentedProblems", "answer_options")

PROBLEMS: Final = (400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 502, 503, 504, 507)
"""The statuses of problem details; which code belongs to which is the code's own affair."""


class DocumentedProblems(ReceiveRoutePlugin):
    """One shape for every problem, on every route."""

    __slots__ = ()

    @override
    def receive_route(self, route: BaseRoute) -> None:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                describe(handler)


async def answer_options(request: Request[Any, Any, Any]) -> Response[None] | None:
    """Answer OPTIONS with the methods of all handlers of a path (RFC 9110, 9.3.7).

    The framework would name only those that were registered first. It runs before every request,
    and is asynchronous because a thread is started for a hook that is not.
    """
    if request.method != HttpMethod.OPTIONS:
        return None
    path = request.scope["path_template"]
    methods = {
        method
        for route in request.app.routes
        if isinstance(route, HTTPRoute) and route.path_format == path
        for method in route.methods
    }
    return Response(None, status_code=204, headers={"allow": ", ".join(sorted(methods))})


def describe(handler: HTTPRouteHandler) -> None:
    problems = {
        status: ResponseSpec(
            Details,
            description=HTTPStatus(status).phrase,
            media_type=MEDIA_TYPE,
            generate_examples=False,
        )
        for status in PROBLEMS
    }
    handler.responses = problems | dict(handler.responses or {})
