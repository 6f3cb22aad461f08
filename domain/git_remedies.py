"""What to do about a git command of ours that failed: one sentence a code.

Trust is only ever suggested for the one directory in question, never for all of them.
"""

from typing import Final

from domain.git_failure import GitCode

__all__ = ("remedy",)

_REMEDIES: Final = {
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
    GitCode.NOTHING_TO_COMMIT: "Stage what the commit is to hold.",
    GitCode.UNMERGED: "Resolve the conflicts and stage the files, or abort the merge.",
    GitCode.NO_IDENTITY: "Set user.name and user.email in git's configuration.",
    GitCode.NO_BRANCH: "Check out a branch first.",
    GitCode.REMOTE_REJECTED: "Read what the remote says: a rule or a hook there refuses it.",
    GitCode.CHANGED_MEANWHILE: "Nothing was lost; look at the files, then try again.",
    GitCode.TIMEOUT: "Try again; check that the host answers.",
    GitCode.TOO_MUCH_OUTPUT: "Try again with a smaller repository.",
    GitCode.MALFORMED_ENVIRONMENT: "Correct or unset the variable.",
    GitCode.MISSING: "Install git 2.31 or newer.",
    GitCode.FAILED: "Read git's words.",
}


def remedy(code: GitCode) -> str:
    return _REMEDIES[code]
