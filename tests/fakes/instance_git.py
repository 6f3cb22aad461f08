"""Git of instances that are not there: remembers what it was asked."""

from typing_extensions import override

from domain.execution import Handle
from domain.git_change import Change, Done
from domain.git_diff import DiffRequest, GitDiff
from domain.git_history import LoggedCommit, LogRequest
from domain.git_status import GitStatus
from domain.outcome import Failure, Result, Success
from ports.instance_git import GitProblem, InstanceGit

__all__ = ("FakeInstanceGit",)


class FakeInstanceGit(InstanceGit):
    """Every call is answered by `refuses`, if there is one, and else taken."""

    def __init__(self) -> None:
        self.refuses: GitProblem | None = None
        self.asked: list[tuple[Handle, str | None, object]] = []

    @override
    async def status(self, handle: Handle, folder: str | None) -> Result[GitStatus, GitProblem]:
        self.asked.append((handle, folder, None))
        nothing = GitStatus("c0", "topic", None, None, None, (), 0)
        return Failure(self.refuses) if self.refuses else Success(nothing)

    @override
    async def diff(
        self, handle: Handle, folder: str | None, request: DiffRequest
    ) -> Result[GitDiff, GitProblem]:
        self.asked.append((handle, folder, request))
        return Failure(self.refuses) if self.refuses else Success(GitDiff((), 0, "", 0))

    @override
    async def log(
        self, handle: Handle, folder: str | None, request: LogRequest
    ) -> Result[tuple[LoggedCommit, ...], GitProblem]:
        self.asked.append((handle, folder, request))
        return Failure(self.refuses) if self.refuses else Success(())

    @override
    async def change(
        self, handle: Handle, folder: str | None, change: Change
    ) -> Result[Done, GitProblem]:
        self.asked.append((handle, folder, change))
        return Failure(self.refuses) if self.refuses else Success(Done("c1", None, "said"))
