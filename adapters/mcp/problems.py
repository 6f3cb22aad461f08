"""From a problem to the text of a tool's error: a stable code, what failed, what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from adapters.mcp.bundle_problems import BundleProblem, bundle_told
from domain.access import Act, NotFound
from domain.agent import UnknownAgent
from domain.branch import InvalidBranch
from domain.bundle_job import Busy, Gone, NotReady, UnknownJob
from domain.bundle_request import InvalidRequest
from domain.inquiry import InvalidReply
from domain.prompt_queue import QueueFull
from domain.saved_prompt import Unfillable, UnfillableWhy
from domain.session import NotAllowed
from domain.step_report import InvalidReport
from domain.task import MAX_EXTERNAL_ID_BYTES, InvalidExternalId, InvalidPrompt, InvalidStart
from domain.task_move import NotMovable
from domain.task_owner import NoOwner
from domain.task_plan import InvalidPlan
from domain.variables import InvalidVariable
from domain.workspace import InvalidName
from pipelines.archive_task import ArchiveTaskProblem
from pipelines.ask_user import AnswerProblem
from pipelines.complete_step import CompleteStepProblem
from pipelines.create_task import CreateTaskProblem, NoRepository, NotCloned, TooDeep
from pipelines.deliver_bundle import ExecutionChanged, TooLate, WrongSession
from pipelines.keep_plan import PlanExists, PlanProblem
from pipelines.launch_session import (
    AgentNotInstalled,
    LaunchProblem,
    TaskArchived,
    TaskBusy,
)
from pipelines.move_task import MoveTaskProblem
from pipelines.prompt_session import TalkProblem
from pipelines.start_problem import Superseded, failure_of
from pipelines.stop_session import StopProblem
from pipelines.update_task import UpdateTaskProblem

__all__ = (
    "AnswerOrReject",
    "NeedsAgent",
    "NeedsWorkspace",
    "NoLiveSession",
    "NotYours",
    "ToolProblem",
    "told",
)


@dataclass(frozen=True, slots=True)
class NeedsWorkspace:
    """There is not exactly one workspace, and none was named."""


@dataclass(frozen=True, slots=True)
class NoLiveSession:
    """No agent of the task is there to be told anything."""


@dataclass(frozen=True, slots=True)
class NeedsAgent:
    """No agent was named, and none worked on the task."""


@dataclass(frozen=True, slots=True)
class NotYours:
    """An agent sees the task and may not do this with it."""

    act: Act


@dataclass(frozen=True, slots=True)
class AnswerOrReject:
    """Both answers and a rejection, or neither."""


ToolProblem: TypeAlias = (
    ArchiveTaskProblem
    | BundleProblem
    | CreateTaskProblem
    | LaunchProblem
    | StopProblem
    | TalkProblem
    | UpdateTaskProblem
    | QueueFull
    | NeedsWorkspace
    | NoLiveSession
    | NotYours
    | PlanProblem
    | AnswerProblem
    | AnswerOrReject
    | Unfillable
    | NeedsAgent
    | MoveTaskProblem
    | CompleteStepProblem
)


RequestProblem: TypeAlias = (
    InvalidName
    | InvalidPrompt
    | InvalidExternalId
    | InvalidBranch
    | InvalidStart
    | NoRepository
    | NotCloned
    | TooDeep
)

_FORBIDDEN: Final[Mapping[Act, str]] = {
    Act.SEE: "the task is not yours to see.",
    Act.MESSAGE: "you cannot message your own task; message its parent, children or siblings.",
    Act.CHANGE: "you may change your own task and its children alone.",
    Act.CONTROL: "you start, stop, interrupt, finish and archive the children of your task alone.",
}


def told(problem: ToolProblem) -> str:
    match problem:
        case NotFound(what=what):
            return f"{what}_not_found: there is no such {what}. List them to find its id."
        case NotYours(act=act):
            return f"forbidden: {_FORBIDDEN[act]}"
        case NotAllowed(state=state):
            return f"session_state: the session is {state.value}. Wait for its turn to end."
        case Superseded():
            return "superseded: the session changed at the same moment. Look at it, then ask again."
        case NeedsWorkspace():
            return "workspace_needed: there is not exactly one workspace. Name one by its id."
        case NeedsAgent():
            return "agent_needed: no agent worked on the task yet. Name one of list_agents_kandev."
        case NoLiveSession():
            return "no_live_session: no agent works on the task. Use spawn_session_kandev."
        case (
            NoOwner()
            | WrongSession()
            | InvalidRequest()
            | Busy()
            | UnknownJob()
            | Gone()
            | NotReady()
            | ExecutionChanged()
            | TooLate()
        ):
            return bundle_told(problem)
        case QueueFull():
            return "queue_full: too many messages wait for the agent. Wait for one to go."
        case (
            PlanExists()
            | InvalidPlan()
            | InvalidReply()
            | AnswerOrReject()
            | Unfillable()
            | NotMovable()
            | InvalidReport()
        ):
            return words_told(problem)
        case (
            InvalidName()
            | InvalidPrompt()
            | InvalidExternalId()
            | InvalidBranch()
            | InvalidStart()
            | NoRepository()
            | NotCloned()
            | TooDeep()
        ):
            return request_told(problem)
        case _:
            return start_told(problem)


def words_told(
    problem: PlanExists
    | InvalidPlan
    | InvalidReply
    | AnswerOrReject
    | Unfillable
    | NotMovable
    | InvalidReport,
) -> str:
    """For words about a task that cannot be as they are."""
    match problem:
        case PlanExists():
            return "plan_exists: the task has a plan. Use update_task_plan_kandev."
        case InvalidPlan():
            return "invalid_plan: the plan is blank or too large. Use 1 byte to 256 KiB."
        case InvalidReply():
            return (
                "invalid_answer: answer each question once, with its own options, words, or both."
            )
        case AnswerOrReject():
            return "answer_or_reject: give answers, or a reason to reject, and not both."
        case NotMovable(state=state):
            return f"task_state: the task is {state.value}, and does not move there from that."
        case InvalidReport():
            return "invalid_report: the summary is blank or a text is too large. Use 16 KiB each."
        case Unfillable(why=UnfillableWhy.TOO_LARGE):
            return "prompt_too_large: the arguments make more of it than a prompt. Shorten them."
        case Unfillable(why=UnfillableWhy.UNKNOWN):
            return "unknown_argument: the prompt has no such argument. List the prompts."
        case Unfillable(arguments=names):
            return f"missing_argument: the prompt needs {', '.join(names)}."
        case _:
            assert_never(problem)


def request_told(problem: RequestProblem) -> str:
    """For a task that cannot be as it was asked to be."""
    match problem:
        case InvalidName():
            return "invalid_name: the title is blank or has control characters. Use one line."
        case InvalidPrompt():
            return "invalid_prompt: the prompt is blank or too large. Use 1 byte to 1 MiB."
        case InvalidExternalId():
            return (
                "invalid_external_id: the external id is blank, too long or has control characters."
                f" Use at most {MAX_EXTERNAL_ID_BYTES} bytes."
            )
        case InvalidBranch():
            return "invalid_branch: that is no name of a branch. Name a branch."
        case InvalidStart():
            return "invalid_start: name a base, a branch or a pull request, and one alone."
        case NotCloned():
            return "not_cloned: pull requests are fetched into repositories that were cloned."
        case NoRepository():
            return "no_repository: a task needs repositories, each once. Name them by their ids."
        case TooDeep():
            return "too_deep: a part of a task has no parts. Create a part of its parent instead."
        case _:
            assert_never(problem)


def start_told(problem: LaunchProblem) -> str:
    """For an agent that cannot start, or did not."""
    match problem:
        case UnknownAgent(known=known):
            return f"unknown_agent: there is no such agent. Use one of {', '.join(known)}."
        case AgentNotInstalled(program=program, install=install):
            return f"agent_not_installed: {program} is not on the PATH. Install it: {install}"
        case TaskArchived():
            return "task_archived: the task is archived. Create a new one."
        case TaskBusy():
            return "task_busy: a session of the task is at work. Message it, or stop it first."
        case InvalidVariable():
            return "invalid_variable: an environment variable cannot be passed to a process."
        case _:
            failure = failure_of(problem)
            return f"{failure.code}: {failure.detail}" if failure.detail else failure.code
