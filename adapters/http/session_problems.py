"""Sentences for sessions that cannot start, or cannot do what is asked of them now."""

from typing import TypeAlias, assert_never

from adapters.http.problem_details import Details, conflict, missing
from domain.agent import UnknownAgent
from domain.prompt_queue import MAX_QUEUED, QueueChanged, QueueFull
from domain.session import NotAllowed
from domain.task_move import NotMovable
from pipelines.launch_session import AgentNotInstalled, TaskArchived, TaskBusy
from pipelines.refresh_clone import NoPullRequest
from pipelines.start_problem import DirtyCheckout, Superseded

__all__ = ("SessionProblem", "session_details")

SessionProblem: TypeAlias = (
    UnknownAgent
    | AgentNotInstalled
    | TaskArchived
    | TaskBusy
    | DirtyCheckout
    | NoPullRequest
    | NotAllowed
    | QueueFull
    | QueueChanged
    | Superseded
    | NotMovable
)


def session_details(problem: SessionProblem) -> Details:
    match problem:
        case UnknownAgent(name=name, known=known):
            text = f"There is no agent {name!r}."
            return missing("unknown_agent", text, f"Use one of {', '.join(known)}.")
        case AgentNotInstalled(program=program, install=install):
            text = f"{program} is not on the PATH."
            return conflict("agent_not_installed", text, f"Install it: {install}")
        case TaskArchived():
            return conflict("task_archived", "The task is archived.", "Create a new task.")
        case TaskBusy(session=session):
            text = f"Session {session} of the task is at work."
            return conflict("task_busy", text, "Stop it, or prompt it.")
        case DirtyCheckout(path=path):
            return conflict(
                "dirty_checkout",
                f"{path} has changes that are not committed; the task would not see them.",
                "Commit or stash them, or launch with `allow_dirty`.",
            )
        case NoPullRequest(number=number):
            text = f"The remote has no pull request {number}."
            return conflict("pull_request_not_found", text, "Create a task with another number.")
        case NotAllowed(state=state):
            text = f"The session is {state.value}."
            return conflict("session_state", text, "Resume a stopped session; wait for a turn.")
        case NotMovable(state=state, wanted=wanted):
            text = f"The task is {state.value}: it does not move to {wanted.value} from there."
            return conflict("task_state", text, "Restore an archived task, or open it first.")
        case QueueFull():
            text = f"{MAX_QUEUED} prompts wait already."
            return conflict("queue_full", text, "Remove one, or wait until one was delivered.")
        case QueueChanged():
            text = "The order does not name exactly the prompts that wait."
            return conflict("queue_changed", text, "Look at the queue, then order it again.")
        case Superseded():
            text = "Somebody else changed the session at the same moment."
            return conflict("superseded", text, "Look at the session, then ask again.")
        case _:
            assert_never(problem)
