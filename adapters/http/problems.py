"""From a problem to an answer: RFC 9457 problem details with a stable code and what to do next.

This is the one place where the REST surface speaks about problems. A problem that is not named
here fails the type check.
"""

from secrets import token_hex
from typing import Any, TypeAlias, TypeVar, assert_never

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from domain.access import NotFound
from domain.agent import UnknownAgent
from domain.connection import InvalidConnection
from domain.credential_policy import (
    AmbiguousConnection,
    ConnectionInactive,
    TooManyRepositories,
)
from domain.git_config import MalformedGitConfig
from domain.git_failure import GitCode, GitFailure
from domain.outcome import Result, failed
from domain.repository import InvalidRemote
from domain.session import NotAllowed
from domain.task import InvalidPrompt
from domain.workspace import InvalidName, UnknownMode
from pipelines.connect_workspace import ConnectProblem, ProbeElsewhere, TokenRefused
from pipelines.connection_secret import SecretUnavailable
from pipelines.create_task import CreateTaskProblem, NoRepository
from pipelines.launch_session import AgentNotInstalled, LaunchProblem, TaskArchived, TaskBusy
from pipelines.prompt_session import TalkProblem
from pipelines.register_repository import RegisterRepositoryProblem, RelativePath
from pipelines.register_workspace import RegisterWorkspaceProblem
from pipelines.resume_session import ResumeProblem
from pipelines.start_problem import DirtyCheckout, Superseded
from pipelines.stop_session import StopProblem
from pipelines.workspace_settings import SameWorkspace, SettingsProblem
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = (
    "ApiProblem",
    "Details",
    "RefusalError",
    "accepted",
    "details",
    "on_bug",
    "on_http",
    "on_refusal",
    "problem_response",
)

ApiProblem: TypeAlias = (
    ConnectProblem
    | CreateTaskProblem
    | LaunchProblem
    | RegisterRepositoryProblem
    | RegisterWorkspaceProblem
    | ResumeProblem
    | SettingsProblem
    | StopProblem
    | TalkProblem
)


Value = TypeVar("Value")

log = structlog.get_logger()


class Details(msgspec.Struct, frozen=True):
    """RFC 9457, with `code` for programs and `remedy` for people."""

    status: int
    code: str
    title: str
    detail: str
    remedy: str
    type: str = "about:blank"


class RefusalError(Exception):
    """Carries a problem from a handler to the one place that answers with it."""

    def __init__(self, problem: ApiProblem) -> None:
        super().__init__(type(problem).__name__)
        self.problem = problem


def accepted(outcome: Result[Value, ApiProblem]) -> Value:
    """The value of an outcome; its problem is raised to the one place that answers with it."""
    if failed(outcome):
        raise RefusalError(outcome.failure())
    return outcome.unwrap()


def details(problem: ApiProblem) -> Details:  # noqa: C901, PLR0911, PLR0912 -- one case a problem
    match problem:
        case NotFound(what=what):
            return Details(404, f"{what}_not_found", "Not found", f"No such {what}.", "List them.")
        case InvalidName(length=length):
            return _bad("invalid_name", f"The name has {length} characters.", "Use 1 to 120.")
        case InvalidPrompt(size=size):
            return _bad("invalid_prompt", f"The prompt has {size} bytes.", "Use 1 byte to 1 MiB.")
        case UnknownMode():
            return _bad("unknown_policy", "No such policy.", "Use `managed` or `executor`.")
        case SameWorkspace():
            return _bad("same_workspace", "Source and target are one.", "Name another target.")
        case NoRepository():
            return _bad("no_repository", "A task needs repositories, each once.", "Name one.")
        case RelativePath():
            return _bad("relative_path", "The path is not absolute.", "Give an absolute path.")
        case InvalidRemote(reason=reason):
            text = f"The clone URL is not usable: {reason.value.replace('_', ' ')}."
            return _bad("invalid_remote", text, "Give an https:// or SSH URL without a password.")
        case InvalidConnection(fault=fault):
            text = f"The connection's {fault.value.replace('_', ' ')} is not usable."
            return _bad("invalid_connection", text, "Correct that field.")
        case ProbeElsewhere(host=host):
            return _bad("probe_elsewhere", f"The probe is not on {host}.", "Name one on the host.")
        case TokenRefused(host=host, failure=failure):
            return _token_refused(host, failure)
        case GitFailure():
            return _git(problem)
        case SecretUnavailable():
            return Details(
                409,
                "secret_unavailable",
                "Secret unavailable",
                "The connection's secret cannot be opened with this installation's key.",
                "Connect the workspace again.",
            )
        case UnknownAgent(name=name, known=known):
            return Details(
                404,
                "unknown_agent",
                "Unknown agent",
                f"There is no agent {name!r}.",
                f"Use one of {', '.join(known)}.",
            )
        case AgentNotInstalled(program=program, install=install):
            return Details(
                409,
                "agent_not_installed",
                "Agent not installed",
                f"{program} is not on the PATH.",
                f"Install it: {install}",
            )
        case TaskArchived():
            return _conflict("task_archived", "The task is archived.", "Create a new task.")
        case TaskBusy(session=session):
            text = f"Session {session} of the task is at work."
            return _conflict("task_busy", text, "Stop it, or prompt it.")
        case DirtyCheckout(path=path):
            return _conflict(
                "dirty_checkout",
                f"{path} has changes that are not committed; the task would not see them.",
                "Commit or stash them, or launch with `allow_dirty`.",
            )
        case NotAllowed(state=state):
            text = f"The session is {state.value}."
            return _conflict("session_state", text, "Resume a stopped session; wait for a turn.")
        case Superseded():
            text = "Somebody else changed the session at the same moment."
            return _conflict("superseded", text, "Look at the session, then ask again.")
        case MalformedGitConfig(layer=layer, variable=variable, reason=reason):
            text = f"{variable} of the {layer} layer: {reason.value.replace('_', ' ')}."
            return _conflict("malformed_environment", text, "Correct or unset the variable.")
        case ConnectionInactive(host=host, status=status):
            text = f"The connection to {host} is {status.value}."
            return _conflict("connection_inactive", text, "Connect the workspace again.")
        case AmbiguousConnection(host=host):
            text = f"More than one connection serves {host}."
            return _conflict("ambiguous_connection", text, "Remove all but one.")
        case TooManyRepositories(count=count):
            text = f"{count} repositories would need a lease."
            return _conflict("too_many_repositories", text, "Split the task.")
        case RuntimeProblem():
            return _runtime(problem)
        case _:
            assert_never(problem)


def _bad(code: str, detail: str, remedy: str) -> Details:
    return Details(400, code, "Bad request", detail, remedy)


def _conflict(code: str, detail: str, remedy: str) -> Details:
    return Details(409, code, "Conflict", detail, remedy)


def _token_refused(host: str, failure: GitFailure) -> Details:
    if failure.code is GitCode.AUTHENTICATION:
        return Details(
            422,
            "token_refused",
            "Token refused",
            f"{host} does not let this token read the repository. The old connection stands.",
            "Give a token that can read and push to the repository.",
        )
    return Details(
        422, failure.code.value, "Cannot validate the token", failure.detail, _git(failure).remedy
    )


_GIT_REMEDIES = {
    GitCode.AUTHENTICATION: "Connect the workspace to the host with a token that may do this.",
    GitCode.NOT_FOUND: "Check the URL, and that the token may see the repository.",
    GitCode.UNREACHABLE: "Check the host name, the network and HTTPS_PROXY.",
    GitCode.CERTIFICATE: "Give the connection the certificate of the host's authority.",
    GitCode.BRANCH_IN_USE: "Work in the worktree that has the branch, or choose another branch.",
    GitCode.UNKNOWN_BRANCH: "Name a base branch that exists in the repository.",
    GitCode.AMBIGUOUS: "Name the branch in full.",
    GitCode.NON_FAST_FORWARD: "Fetch and integrate the remote's commits first.",
    GitCode.DUBIOUS_OWNERSHIP: "Run Kandev as the owner of the repository, or change its owner.",
    GitCode.LOCK_HELD: "Wait for the other git process; remove a stale lock only when none runs.",
    GitCode.NOT_A_REPOSITORY: "Name the top level of a git repository.",
    GitCode.EXISTS: "Remove or rename what is there.",
    GitCode.DISK_FULL: "Free some space on the disk.",
    GitCode.READ_ONLY: "Make the directory writable.",
    GitCode.TIMEOUT: "Try again; check that the host answers.",
    GitCode.TOO_MUCH_OUTPUT: "Try again with a smaller repository.",
    GitCode.MISSING: "Install git 2.31 or newer.",
    GitCode.FAILED: "Read git's words above.",
}


def _git(problem: GitFailure) -> Details:
    status = 507 if problem.code is GitCode.DISK_FULL else 422
    remedy = _GIT_REMEDIES[problem.code]
    return Details(status, problem.code.value, "Git failed", problem.detail, remedy)


_RUNTIME: dict[RuntimeCode, tuple[int, str]] = {
    RuntimeCode.UNREACHABLE: (503, "Try again; `kandev doctor` tells what is wrong."),
    RuntimeCode.MISMATCH: (503, "Stop the sessions and restart Kandev after the upgrade."),
    RuntimeCode.NO_INSTANCE: (409, "Resume the session."),
    RuntimeCode.EXISTS: (409, "Look at the session, then ask again."),
    RuntimeCode.ENVIRONMENT: (409, "Correct the environment variable."),
    RuntimeCode.WORKTREE: (409, "Read git's words; the repository is as it was."),
    RuntimeCode.AGENT_MISSING: (409, "Install the agent; `kandev doctor` says how."),
    RuntimeCode.AGENT_DIED: (502, "Run the agent's command by hand to see why it ends."),
    RuntimeCode.AGENT_REFUSED: (502, "Sign the agent in, then try again."),
    RuntimeCode.AGENT_SILENT: (504, "Run the agent's command by hand; it did not answer in time."),
    RuntimeCode.PROTOCOL: (502, "Update the agent: it does not speak ACP version 1."),
    RuntimeCode.BUSY: (409, "Wait for the turn to end, or cancel it."),
    RuntimeCode.NO_PERMISSION: (404, "It was answered or withdrawn already."),
    RuntimeCode.DISK_FULL: (507, "Free some space on the disk."),
    RuntimeCode.INVALID: (400, "Correct the request."),
}


def _runtime(problem: RuntimeProblem) -> Details:
    status, remedy = _RUNTIME[problem.code]
    said = f"\n{problem.stderr}" if problem.stderr else ""
    return Details(status, problem.code.value, "Agent", f"{problem.detail}{said}", remedy)


def problem_response(details: Details) -> Response[Details]:
    return Response(details, status_code=details.status, media_type="application/problem+json")


def on_refusal(_: Request[Any, Any, Any], error: RefusalError) -> Response[Details]:
    return problem_response(details(error.problem))


def on_http(_: Request[Any, Any, Any], error: HTTPException) -> Response[Details]:
    """What the framework refuses: unknown routes, wrong methods, malformed bodies."""
    if isinstance(error, ValidationException):
        fields = [_field(each) for each in error.extra or []]
        text = "; ".join(fields) or error.detail
        return problem_response(_bad("invalid_request", text, "See the OpenAPI document."))
    codes = {401: "unauthorized", 404: "not_found", 405: "method_not_allowed", 413: "too_large"}
    code = codes.get(error.status_code, "invalid_request")
    body = Details(error.status_code, code, "Refused", error.detail, "See the OpenAPI document.")
    response = problem_response(body)
    for name, value in (error.headers or {}).items():
        response.set_header(name, value)
    return response


def on_bug(request: Request[Any, Any, Any], error: Exception) -> Response[Details]:
    """The top of a request: what nobody expected is logged, and only its number is told."""
    number = token_hex(4)
    log.error("request_failed", number=number, path=request.scope["path"], exc_info=error)
    text = f"Something unexpected happened; the log has it under {number}."
    return problem_response(
        Details(500, "internal_error", "Internal error", text, "Report it with the log.")
    )


def _field(error: object) -> str:
    """Where and which rule; never the value, which could be a secret."""
    if isinstance(error, dict):
        return f"{error.get('key', 'body')}: {error.get('message', 'not valid')}"
    return "not valid"
