"""Why a worktree could not be made, as git or the system told it, and one thing to do."""

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from adapters.agentctl import wire
from domain.git_failure import GitCode, GitFailure
from domain.git_remedies import remedy
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("refusal", "unwritable")

_SENTENCES: Final[Mapping[GitCode, str]] = {
    GitCode.BRANCH_IN_USE: "branch {branch} is checked out in another worktree",
    GitCode.UNKNOWN_BRANCH: "there is no {base} in the repository to begin a branch from",
    GitCode.NOT_A_REPOSITORY: "{source} is no git repository",
    GitCode.EXISTS: "{path} is there already and is no worktree of the repository",
    GitCode.LOCK_HELD: "another git holds a lock in {source}",
    GitCode.TIMEOUT: "git did not finish within its time",
    GitCode.MISSING: "git is not installed",
}

_CODES: Final[Mapping[GitCode, RuntimeCode]] = {
    GitCode.BRANCH_IN_USE: RuntimeCode.BRANCH_IN_USE,
    GitCode.UNKNOWN_BRANCH: RuntimeCode.UNKNOWN_BASE,
}


def refusal(failure: GitFailure, checkout: wire.Checkout, path: Path) -> RuntimeProblem:
    """Of a worktree of the checkout at `path`, which git did not make."""
    if failure.code is GitCode.DISK_FULL:
        return RuntimeProblem(RuntimeCode.DISK_FULL, f"no space left for a worktree at {path}")
    sentence = _SENTENCES.get(failure.code, "{detail}").format(
        branch=checkout.branch,
        base=checkout.base,
        source=checkout.source,
        path=path,
        detail=failure.detail,
    )
    code = _CODES.get(failure.code, RuntimeCode.WORKTREE)
    return RuntimeProblem(code, f"{sentence}\n{remedy(failure.code)}")


def unwritable(path: Path, error: OSError) -> RuntimeProblem:
    """Of a directory that could not be made."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return RuntimeProblem(RuntimeCode.DISK_FULL, f"no space left for {path}")
    return RuntimeProblem(RuntimeCode.WORKTREE, f"{path} cannot be made: {error.strerror}")
