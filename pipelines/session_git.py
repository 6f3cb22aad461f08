"""Git in a session's checkouts, for a person: looks, and changes that need an instance."""

from dataclasses import dataclass
from typing import TypeAlias

from domain import git_change, git_diff, git_history
from domain.access import NotFound
from domain.branch import InvalidBranch
from domain.git_change import Change, ChangeProblem, Done
from domain.git_diff import DiffRequest, GitDiff
from domain.git_history import InvalidLimit, LoggedCommit, LogRequest
from domain.git_status import GitStatus
from domain.identity import SessionId
from domain.outcome import Result, failed
from domain.principal import Principal
from domain.worktree_path import InvalidPath
from pipelines.ensure_instance import EnsureInstance, EnsureProblem
from ports.instance_git import GitProblem, InstanceGit

__all__ = ("ChangeGit", "ChangeGitProblem", "LookAtGit", "LookAtGitProblem")

LookAtGitProblem: TypeAlias = NotFound | GitProblem | InvalidPath | InvalidBranch | InvalidLimit
ChangeGitProblem: TypeAlias = EnsureProblem | GitProblem | ChangeProblem


@dataclass(frozen=True, slots=True)
class LookAtGit:
    """A look starts nothing: without an instance it says so."""

    ensure: EnsureInstance
    git: InstanceGit

    async def status(
        self, principal: Principal, session: SessionId, folder: str | None
    ) -> Result[GitStatus, LookAtGitProblem]:
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.git.status(handle.unwrap(), folder)

    async def diff(
        self, principal: Principal, session: SessionId, folder: str | None, request: DiffRequest
    ) -> Result[GitDiff, LookAtGitProblem]:
        checked = git_diff.check(request)
        if failed(checked):
            return checked
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.git.diff(handle.unwrap(), folder, request)

    async def log(
        self, principal: Principal, session: SessionId, folder: str | None, request: LogRequest
    ) -> Result[tuple[LoggedCommit, ...], LookAtGitProblem]:
        checked = git_history.check(request)
        if failed(checked):
            return checked
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.git.log(handle.unwrap(), folder, request)


@dataclass(frozen=True, slots=True)
class ChangeGit:
    ensure: EnsureInstance
    git: InstanceGit

    async def __call__(
        self, principal: Principal, session: SessionId, folder: str | None, change: Change
    ) -> Result[Done, ChangeGitProblem]:
        """Do it in the instance of the session, which is started where none runs."""
        checked = git_change.check(change)
        if failed(checked):
            return checked
        handle = await self.ensure(principal, session)
        return handle if failed(handle) else await self.git.change(handle.unwrap(), folder, change)
