"""Git in the checkouts of a running instance, with the instance's own environment."""

from typing import Protocol, TypeAlias

from domain.execution import Handle
from domain.git_change import Change, Done
from domain.git_diff import DiffRequest, GitDiff
from domain.git_failure import GitFailure
from domain.git_history import LoggedCommit, LogRequest
from domain.git_status import GitStatus
from domain.outcome import Result
from ports.runtime import RuntimeProblem

__all__ = ("GitProblem", "InstanceGit")

GitProblem: TypeAlias = RuntimeProblem | GitFailure


class InstanceGit(Protocol):
    """`folder` names one of several repositories; None is the only one.

    A `GitFailure` is git's own; a `RuntimeProblem` says why git did not even run. Requests were
    checked. Who gives up on a change does not stop it.
    """

    async def status(self, handle: Handle, folder: str | None) -> Result[GitStatus, GitProblem]: ...

    async def diff(
        self, handle: Handle, folder: str | None, request: DiffRequest
    ) -> Result[GitDiff, GitProblem]: ...

    async def log(
        self, handle: Handle, folder: str | None, request: LogRequest
    ) -> Result[tuple[LoggedCommit, ...], GitProblem]: ...

    async def change(
        self, handle: Handle, folder: str | None, change: Change
    ) -> Result[Done, GitProblem]:
        """Run it with the hooks and the helpers that the agent's own git would run."""
        ...
