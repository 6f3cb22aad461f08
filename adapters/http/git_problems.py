"""Sentences for git and for agents: what they said, and what to do about it."""

from adapters.http.problem_details import Details
from domain.git_failure import GitCode, GitFailure
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("git_details", "runtime_details")

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


def git_details(problem: GitFailure) -> Details:
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


def runtime_details(problem: RuntimeProblem) -> Details:
    status, remedy = _RUNTIME[problem.code]
    said = f"\n{problem.stderr}" if problem.stderr else ""
    return Details(status, problem.code.value, "Agent", f"{problem.detail}{said}", remedy)
