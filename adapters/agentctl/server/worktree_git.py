"""Git in one worktree that is removed or brought back: bounded, and without the hooks there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.git_failure import GitFailure
from domain.git_remedies import remedy
from domain.outcome import Result, failed
from ports.git import GitProcess
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AUTHOR", "SETTINGS", "WorktreeGit", "WorktreeRefusedError", "busy")

SECONDS: Final = 600.0
"""For a command on a worktree of any size."""

SETTINGS: Final = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")

AUTHOR: Final = {
    "GIT_AUTHOR_NAME": "Kandev",
    "GIT_AUTHOR_EMAIL": "kandev@localhost",
    "GIT_COMMITTER_NAME": "Kandev",
    "GIT_COMMITTER_EMAIL": "kandev@localhost",
}


class WorktreeRefusedError(Exception):
    """Ends the work on a worktree at the step that could not be done."""

    def __init__(self, problem: RuntimeProblem) -> None:
        super().__init__(problem.code)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class WorktreeGit:
    git: GitProcess
    environment: Mapping[str, str]

    async def ask(
        self, directory: str, *arguments: str, stdin: bytes = b""
    ) -> Result[str, GitFailure]:
        """What git says, without the line's end."""
        done = await self.git(
            [*SETTINGS, *arguments],
            directory=directory,
            environment={**self.environment, **AUTHOR},
            seconds=SECONDS,
            stdin=stdin,
        )
        return done.map(lambda completed: completed.stdout.removesuffix("\n"))

    async def must(self, directory: str, *arguments: str, stdin: bytes = b"") -> str:
        """As `ask`; raises `WorktreeRefusedError` when git refuses."""
        done = await self.ask(directory, *arguments, stdin=stdin)
        if failed(done):
            raise WorktreeRefusedError(_problem(arguments, done.failure()))
        return done.unwrap()


def busy(source: str) -> RuntimeProblem:
    """Another process makes or removes worktrees of the repository, and is not done in time."""
    detail = f"another process works on the worktrees of {source}"
    return RuntimeProblem(RuntimeCode.REPOSITORY_BUSY, detail)


def _problem(arguments: Sequence[str], failure: GitFailure) -> RuntimeProblem:
    detail = f"git {arguments[0]}: {failure.detail}\n{remedy(failure.code)}"
    return RuntimeProblem(RuntimeCode.WORKTREE, detail)
