"""From a problem to an answer: RFC 9457 problem details with a stable code and what to do next.

This is the one place where the REST surface speaks about problems. A problem that is not named
here fails the type check.
"""

from secrets import token_hex
from typing import Any, TypeAlias, TypeVar

import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from adapters.http.access_token_problems import access_token_details
from adapters.http.account_problems import account_details
from adapters.http.checkout_problems import checkout_details
from adapters.http.credential_problems import credential_details
from adapters.http.git_problems import git_details, runtime_details
from adapters.http.membership_problems import membership_details
from adapters.http.problem_details import Details, bad, problem_response
from adapters.http.profile_problems import profile_details
from adapters.http.request_problems import request_details
from adapters.http.saved_prompt_problems import saved_prompt_details
from adapters.http.session_problems import session_details
from domain.access import NotFound, OwnerOnly
from domain.access_token import InvalidLife, InvalidLimits, InvalidScopes
from domain.account import AdminOnly, EmailTaken, InvalidEmail, InvalidPassword, LastAdmin
from domain.agent import UnknownAgent
from domain.background import InvalidCommand
from domain.branch import InvalidBranch
from domain.branch_template import InvalidTemplate, UnknownPlaceholder
from domain.checkout_file import FileFailure, InvalidContent, InvalidQuery
from domain.copy_files import UnknownKeyword
from domain.environment import ConflictingVariable
from domain.git_change import InvalidMessage
from domain.git_failure import GitFailure
from domain.git_history import InvalidLimit
from domain.inquiry import InvalidReply
from domain.invitation import InvalidDays
from domain.mcp_server import InvalidMcpServer
from domain.membership import MembersProblem, OwnerStays, TooManyMembers
from domain.outcome import Result, failed
from domain.profile import InvalidChoice
from domain.prompt_queue import QueueChanged, QueueFull
from domain.repository import InvalidRemote
from domain.repository_settings import SettingTooLong, UnusableScript
from domain.saved_prompt import UnstorablePrompt
from domain.session import NotAllowed
from domain.stored_environment import SecretMissing, UnstorableVariable
from domain.task import InvalidExternalId, InvalidPrompt, InvalidStart
from domain.task_move import NotMovable
from domain.terminal import InvalidSize
from domain.variables import InvalidVariable
from domain.workspace import InvalidName, UnknownMode
from domain.worktree_path import InvalidPath
from pipelines.ask_user import AnswerProblem
from pipelines.claim_home import ClaimProblem, ClaimRefused
from pipelines.connect_account import AccountProblem
from pipelines.connect_workspace import ConnectProblem
from pipelines.create_task import CreateTaskProblem, NoRepository, NotCloned, TooDeep
from pipelines.keep_access_tokens import AccessTokenProblem
from pipelines.keep_accounts import AccountsProblem
from pipelines.keep_invitations import AcceptProblem, InviteProblem
from pipelines.keep_profiles import NameTaken, ProfileChanged, ProfileProblem
from pipelines.keep_saved_prompts import (
    PromptNameTaken,
    SavedPromptChanged,
    SavedPromptProblem,
)
from pipelines.launch_session import AgentNotInstalled, LaunchProblem, TaskArchived, TaskBusy
from pipelines.move_task import MoveTaskProblem
from pipelines.prompt_queue import QueueProblem
from pipelines.prompt_session import TalkProblem
from pipelines.refresh_clone import NoPullRequest
from pipelines.register_repository import RegisterRepositoryProblem, RelativePath
from pipelines.register_workspace import RegisterWorkspaceProblem
from pipelines.repository_environment import RepositoryEnvironmentProblem
from pipelines.repository_settings import ChangeRepositoryProblem
from pipelines.resume_session import ResumeProblem
from pipelines.session_files import LookAtFilesProblem, WriteFileProblem
from pipelines.session_git import ChangeGitProblem, LookAtGitProblem
from pipelines.session_processes import ProcessProblem
from pipelines.session_profiles import OtherAgent
from pipelines.session_terminals import TerminalProblem
from pipelines.sign_in import PasswordProblem, SignInProblem, SignInRefused, TooManyAttempts
from pipelines.start_problem import DirtyCheckout, Superseded
from pipelines.stop_session import StopProblem
from pipelines.workspace_settings import SameWorkspace, SettingsProblem
from ports.runtime import RuntimeProblem
from ports.store import StoreFault, StoreUnavailable

__all__ = (
    "ApiProblem",
    "RefusalError",
    "accepted",
    "details",
    "on_bug",
    "on_http",
    "on_refusal",
    "on_store",
)

WorkProblem: TypeAlias = (
    AccountProblem
    | AnswerProblem
    | ChangeGitProblem
    | ChangeRepositoryProblem
    | MoveTaskProblem
    | ConnectProblem
    | CreateTaskProblem
    | LaunchProblem
    | QueueProblem
    | LookAtFilesProblem
    | LookAtGitProblem
    | ProcessProblem
    | ProfileProblem
    | TerminalProblem
    | RegisterRepositoryProblem
    | RegisterWorkspaceProblem
    | RepositoryEnvironmentProblem
    | ResumeProblem
    | SavedPromptProblem
    | SettingsProblem
    | StopProblem
    | TalkProblem
    | WriteFileProblem
)

ApiProblem: TypeAlias = (
    WorkProblem
    | AcceptProblem
    | AccessTokenProblem
    | AccountsProblem
    | ClaimProblem
    | InviteProblem
    | MembersProblem
    | PasswordProblem
    | SignInProblem
)


Value = TypeVar("Value")

log = structlog.get_logger()


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


def details(problem: ApiProblem) -> Details:
    match problem:
        case (
            AdminOnly()
            | ClaimRefused()
            | EmailTaken()
            | InvalidDays()
            | InvalidEmail()
            | InvalidPassword()
            | LastAdmin()
            | SignInRefused()
            | TooManyAttempts()
        ):
            return account_details(problem)
        case OwnerStays() | TooManyMembers():
            return membership_details(problem)
        case InvalidScopes() | InvalidLife() | InvalidLimits():
            return access_token_details(problem)
        case _:
            return work_details(problem)


def work_details(problem: WorkProblem) -> Details:
    match problem:
        case GitFailure():
            return git_details(problem)
        case RuntimeProblem():
            return runtime_details(problem)
        case (
            NotFound()
            | InvalidName()
            | InvalidPrompt()
            | InvalidBranch()
            | InvalidVariable()
            | UnknownMode()
            | SameWorkspace()
            | NoRepository()
            | NotCloned()
            | InvalidStart()
            | InvalidExternalId()
            | TooDeep()
            | InvalidReply()
            | RelativePath()
            | InvalidRemote()
            | UnknownKeyword()
            | SettingTooLong()
            | UnusableScript()
            | UnknownPlaceholder()
            | InvalidTemplate()
            | InvalidCommand()
            | InvalidSize()
        ):
            return request_details(problem)
        case (
            UnknownAgent()
            | AgentNotInstalled()
            | TaskArchived()
            | TaskBusy()
            | DirtyCheckout()
            | NoPullRequest()
            | NotAllowed()
            | QueueFull()
            | QueueChanged()
            | Superseded()
            | NotMovable()
        ):
            return session_details(problem)
        case (
            InvalidPath()
            | InvalidMessage()
            | InvalidLimit()
            | InvalidContent()
            | InvalidQuery()
            | FileFailure()
        ):
            return checkout_details(problem)
        case (
            UnstorableVariable()
            | InvalidChoice()
            | InvalidMcpServer()
            | NameTaken()
            | ProfileChanged()
            | OtherAgent()
            | SecretMissing()
            | ConflictingVariable()
        ):
            return profile_details(problem)
        case OwnerOnly():
            return membership_details(problem)
        case UnstorablePrompt() | PromptNameTaken() | SavedPromptChanged():
            return saved_prompt_details(problem)
        case _:
            return credential_details(problem)


def on_refusal(_: Request[Any, Any, Any], error: RefusalError) -> Response[Details]:
    response = problem_response(details(error.problem))
    if isinstance(error.problem, TooManyAttempts):
        response.set_header("retry-after", str(error.problem.seconds))
    return response


def on_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Details]:
    """What the framework refuses: unknown routes, wrong methods, malformed bodies."""
    if isinstance(error, ValidationException):
        fields = [_field(each) for each in error.extra or []]
        text = "; ".join(fields) or error.detail
        return problem_response(bad("invalid_request", text, "See the OpenAPI document."))
    if error.status_code >= 500:
        return on_bug(request, error)
    codes = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
    code = codes.get(error.status_code, "invalid_request")
    body = Details(error.status_code, code, "Refused", error.detail, "See the OpenAPI document.")
    response = problem_response(body)
    for name, value in (error.headers or {}).items():
        response.set_header(name, value)
    return response


_STORE: dict[StoreFault, tuple[int, str, str]] = {
    StoreFault.BUSY: (503, "Another process holds the database.", "Try again, or end it."),
    StoreFault.DISK_FULL: (507, "The disk is full.", "Free some space on it."),
    StoreFault.READ_ONLY: (503, "The database cannot be written.", "Make the home writable."),
    StoreFault.DAMAGED: (
        503,
        "The database is damaged.",
        "Stop the server and put back a copy from the home's `backups`.",
    ),
    StoreFault.UNREADABLE: (503, "The database cannot be read.", "Look at the disk and the log."),
}


def store_details(error: StoreUnavailable) -> Details:
    """What was asked for is not stored, and what was stored is as it was."""
    status, text, remedy = _STORE[error.fault]
    log.warning("store_unavailable", fault=error.fault.value)
    return Details(status, error.fault.value, "Store", text, remedy)


def on_store(_: Request[Any, Any, Any], error: StoreUnavailable) -> Response[Details]:
    return problem_response(store_details(error))


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
        told = str(error.get("message", "not valid"))
        rule = "no such value" if told.startswith("Invalid enum value") else told
        return f"{error.get('key', 'body')}: {rule}"
    return "not valid"
