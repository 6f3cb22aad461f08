"""Sentences for git and for agents: what they said, and what to do about it."""

from adapters.http.problem_details import Details
from domain import git_remedies
from domain.git_failure import GitCode, GitFailure
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("git_details", "runtime_details")


def git_details(problem: GitFailure) -> Details:
    status = 507 if problem.code is GitCode.DISK_FULL else 422
    remedy = git_remedies.remedy(problem.code)
    return Details(status, problem.code.value, "Git failed", problem.detail, remedy)


_RUNTIME: dict[RuntimeCode, tuple[int, str]] = {
    RuntimeCode.UNREACHABLE: (503, "Try again; `kandev doctor` tells what is wrong."),
    RuntimeCode.MISMATCH: (503, "Stop the sessions and restart Kandev after the upgrade."),
    RuntimeCode.NO_INSTANCE: (409, "Resume the session."),
    RuntimeCode.EXISTS: (409, "Look at the session, then ask again."),
    RuntimeCode.ENVIRONMENT: (409, "Correct the environment variable."),
    RuntimeCode.AMBIENT_NETRC: (
        409,
        "Remove the entry, or accept it for the workspace with `accept_ambient_netrc`.",
    ),
    RuntimeCode.GIT_TOO_OLD: (409, "Install a newer git first on the PATH that the agent gets."),
    RuntimeCode.WORKTREE: (409, "The repository is as it was; try again after that."),
    RuntimeCode.UNKNOWN_BASE: (409, "Name a branch that exists in the repository."),
    RuntimeCode.BRANCH_IN_USE: (
        409,
        "Work in the worktree that has the branch, or choose another branch.",
    ),
    RuntimeCode.REPOSITORY_BUSY: (409, "Try again when the other process has finished."),
    RuntimeCode.WORKTREE_LOCKED: (409, "Unlock the worktree if nobody needs it."),
    RuntimeCode.WORKTREE_FOREIGN: (409, "Move the directory elsewhere, then try again."),
    RuntimeCode.WORKTREE_UNREGISTERED: (409, "Move the directory elsewhere, then try again."),
    RuntimeCode.WORKTREE_NESTED: (409, "Move the inner repository elsewhere, then try again."),
    RuntimeCode.WORKTREE_LEFT: (409, "Put the worktree right, or stop and resume the session."),
    RuntimeCode.SETUP_FAILED: (
        409,
        "Correct the script, or have the repository `continue`; it runs again at the next start.",
    ),
    RuntimeCode.AGENT_MISSING: (409, "Install the agent; `kandev doctor` says how."),
    RuntimeCode.AGENT_DIED: (502, "Run the agent's command by hand to see why it ends."),
    RuntimeCode.AGENT_REFUSED: (502, "Sign the agent in, then try again."),
    RuntimeCode.AGENT_SILENT: (504, "Run the agent's command by hand; it did not answer in time."),
    RuntimeCode.PROTOCOL: (502, "Update the agent: it does not speak ACP version 1."),
    RuntimeCode.BUSY: (409, "Wait for the turn to end, or cancel it."),
    RuntimeCode.NO_PERMISSION: (404, "It was answered or withdrawn already."),
    RuntimeCode.NO_REPOSITORY: (404, "Name the folder of one of the session's repositories."),
    RuntimeCode.NO_PROCESS: (404, "List them."),
    RuntimeCode.NO_TERMINAL: (404, "List them, or open one."),
    RuntimeCode.LIMITED: (409, "Stop one, then try again."),
    RuntimeCode.DISK_FULL: (507, "Free some space on the disk."),
    RuntimeCode.BUNDLE_TOO_LARGE: (413, "Ask for fewer sources."),
    RuntimeCode.BUNDLE_TORN: (502, "Ask again."),
    RuntimeCode.DESTINATION_UNSAFE: (409, "Look what stands there, and move it elsewhere."),
    RuntimeCode.DESTINATION_UNWRITABLE: (409, "Make the workspace writable."),
    RuntimeCode.NO_STAGE: (409, "Ask again."),
    RuntimeCode.EVENTS_BEYOND: (409, "Resume the session."),
    RuntimeCode.INVALID: (400, "Correct the request."),
}


def runtime_details(problem: RuntimeProblem) -> Details:
    status, remedy = _RUNTIME[problem.code]
    said = f"\n{problem.stderr}" if problem.stderr else ""
    return Details(status, problem.code.value, "Agent", f"{problem.detail}{said}", remedy)
