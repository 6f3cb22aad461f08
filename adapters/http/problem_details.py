"""Problem details of RFC 9457, with a stable code for programs and a remedy for people."""

from typing import Final

import msgspec
from litestar import Response

__all__ = ("MEDIA_TYPE", "Details", "bad", "conflict", "missing", "problem_response")


MEDIA_TYPE: Final = "application/problem+json"


class Details(msgspec.Struct, frozen=True):
    """RFC 9457, with `code` for programs and `remedy` for people."""

    status: int
    code: str
    title: str
    detail: str
    remedy: str
    type: str = "about:blank"


def bad(code: str, detail: str, remedy: str) -> Details:
    return Details(400, code, "Bad request", detail, remedy)


def missing(code: str, detail: str, remedy: str) -> Details:
    return Details(404, code, "Not found", detail, remedy)


def conflict(code: str, detail: str, remedy: str) -> Details:
    return Details(409, code, "Conflict", detail, remedy)


def problem_response(details: Details) -> Response[Details]:
    return Response(details, status_code=details.status, media_type=MEDIA_TYPE)
