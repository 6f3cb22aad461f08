"""Why an agent gets no bundle, as the text of a tool's error."""

from typing import TypeAlias

from domain.bundle_job import Busy, Gone, NotReady, UnknownJob
from domain.bundle_request import InvalidRequest
from domain.task_owner import NoOwner
from pipelines.deliver_bundle import ExecutionChanged, TooLate, WrongSession

__all__ = ("BundleProblem", "bundle_told")

BundleProblem: TypeAlias = (
    NoOwner
    | WrongSession
    | InvalidRequest
    | Busy
    | UnknownJob
    | Gone
    | NotReady
    | ExecutionChanged
    | TooLate
)


def bundle_told(problem: BundleProblem) -> str:
    match problem:
        case NoOwner():
            return "no_owner: nobody who may act owns the task. Ask the owner of the installation."
        case WrongSession():
            return "wrong_session: the session is not one of the task. Nothing can be done here."
        case InvalidRequest(fault=fault):
            return f"{fault.value}: use `backend`, `frontend` or `all`."
        case Busy(reason=reason, retry_after=wait):
            seconds = int(wait.total_seconds())
            return f"{reason.value}: another bundle is being made. Ask again in {seconds} seconds."
        case NotReady(state=state):
            return f"bundle_{state.value}: the bundle is {state.value}. Ask again."
        case UnknownJob() | Gone():
            return "bundle_gone: the bundle has expired. Ask again."
        case ExecutionChanged():
            return "execution_changed: this agent was stopped or replaced. Nothing was delivered."
        case TooLate():
            return "too_late: the bundle was not there within five minutes. Ask again."
