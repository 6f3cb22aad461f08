"""From a problem to an answer of agentctl's: the one place where it speaks about problems."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec
import structlog
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException

from adapters.agentctl.wire import Refused
from domain.outcome import Result, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("RefusedError", "granted", "on_bug", "on_http", "on_refused", "refusal_body", "refused")

_STATUS: Final[Mapping[RuntimeCode, int]] = {
    RuntimeCode.UNREACHABLE: 503,
    RuntimeCode.MISMATCH: 409,
    RuntimeCode.NO_INSTANCE: 404,
    RuntimeCode.EXISTS: 409,
    RuntimeCode.ENVIRONMENT: 422,
    RuntimeCode.AMBIENT_NETRC: 409,
    RuntimeCode.GIT_TOO_OLD: 409,
    RuntimeCode.WORKTREE: 409,
    RuntimeCode.UNKNOWN_BASE: 409,
    RuntimeCode.BRANCH_IN_USE: 409,
    RuntimeCode.REPOSITORY_BUSY: 409,
    RuntimeCode.WORKTREE_LOCKED: 409,
    RuntimeCode.WORKTREE_FOREIGN: 409,
    RuntimeCode.WORKTREE_UNREGISTERED: 409,
    RuntimeCode.WORKTREE_NESTED: 409,
    RuntimeCode.WORKTREE_LEFT: 409,
    RuntimeCode.SETUP_FAILED: 409,
    RuntimeCode.AGENT_MISSING: 422,
    RuntimeCode.AGENT_DIED: 502,
    RuntimeCode.AGENT_REFUSED: 502,
    RuntimeCode.AGENT_SILENT: 504,
    RuntimeCode.PROTOCOL: 502,
    RuntimeCode.BUSY: 409,
    RuntimeCode.NO_PERMISSION: 409,
    RuntimeCode.NO_REPOSITORY: 404,
    RuntimeCode.NO_PROCESS: 404,
    RuntimeCode.NO_TERMINAL: 404,
    RuntimeCode.LIMITED: 409,
    RuntimeCode.DISK_FULL: 507,
    RuntimeCode.BUNDLE_TOO_LARGE: 413,
    RuntimeCode.BUNDLE_TORN: 422,
    RuntimeCode.DESTINATION_UNSAFE: 409,
    RuntimeCode.DESTINATION_UNWRITABLE: 409,
    RuntimeCode.NO_STAGE: 404,
    RuntimeCode.EVENTS_BEYOND: 416,
    RuntimeCode.INVALID: 400,
}

_log = structlog.get_logger(__name__)

Value = TypeVar("Value")


class RefusedError(Exception):
    """Carries a problem from a handler to the answer."""

    def __init__(self, problem: RuntimeProblem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def granted(outcome: Result[Value, RuntimeProblem]) -> Value:
    """The value, or the refusal that the problem amounts to."""
    if failed(outcome):
        raise RefusedError(outcome.failure())
    return outcome.unwrap()


def refused(problem: RuntimeProblem) -> Refused:
    return Refused(problem.code.value, problem.detail, problem.stderr)


def refusal_body(problem: RuntimeProblem) -> bytes:
    return msgspec.json.encode(refused(problem))


def on_refused(_: Request[Any, Any, Any], error: RefusedError) -> Response[bytes]:
    return _response(_STATUS[error.problem.code], error.problem)


def on_http(_: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """A request that is no request of this protocol: unknown path, method or body."""
    problem = RuntimeProblem(RuntimeCode.INVALID, error.detail)
    return _response(error.status_code, problem)


def on_bug(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """What nobody expected: it is in the log, and nothing of it in the answer."""
    _log.error("request_failed", path=request.scope["path"], exc_info=error)
    problem = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl failed; its log says why")
    return _response(500, problem)


def _response(status: int, problem: RuntimeProblem) -> Response[bytes]:
    return Response(refusal_body(problem), status_code=status, media_type=MediaType.JSON)
