"""Git in a checkout of an instance, for a client: as the agent would run it, hooks and all.

The environment is the instance's own, so that a commit runs the host's hooks and a push asks the
helper that the agent's push would ask.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from adapters.agentctl.server.discarding import Discarding
from domain import git_change, git_diff, git_history, git_search, git_status
from domain.checkout_file import Matches, Search, SearchIn, matched
from domain.git_change import CHANGE_SECONDS, LOOK_SECONDS, Change, Command, Discard, Done, Push
from domain.git_diff import DiffRequest, GitDiff
from domain.git_failure import GitCode, GitFailure
from domain.git_history import LoggedCommit, LogRequest
from domain.git_status import GitStatus
from domain.identity import TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.redaction import Redactor, Surface
from domain.worktree_path import shown
from ports.git import Completed, GitProcess

__all__ = ("CheckoutGit", "Where")

_NO_LOCKS: Final = "--no-optional-locks"

_Asked: TypeAlias = Result[Completed, GitFailure]


@dataclass(frozen=True, slots=True)
class Where:
    """A checkout of a task's instance, and the instance's whole environment."""

    directory: str
    task: TaskId
    environment: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class CheckoutGit:
    """Requests were checked by whoever calls."""

    git: GitProcess
    redactor: Redactor
    discard: Discarding

    async def status(self, where: Where) -> Result[GitStatus, GitFailure]:
        asked = await self._run(where, Command((_NO_LOCKS, *git_status.ARGUMENTS)), LOOK_SECONDS)
        return asked.map(lambda said: git_status.read(said.stdout))

    async def diff(self, where: Where, request: DiffRequest) -> Result[GitDiff, GitFailure]:
        """Its patches without secrets."""
        arguments = (_NO_LOCKS, *git_diff.arguments(request))
        asked = await self._run(where, Command(arguments), LOOK_SECONDS)
        if failed(asked):
            return asked
        found = git_diff.read(asked.unwrap().stdout)
        return Success(replace(found, patch=self._shown(found.patch)))

    async def log(
        self, where: Where, request: LogRequest
    ) -> Result[tuple[LoggedCommit, ...], GitFailure]:
        """Its messages without secrets."""
        asked = await self._run(where, Command(git_history.arguments(request)), LOOK_SECONDS)
        if failed(asked):
            return asked
        found = git_history.read(asked.unwrap().stdout)
        return Success(tuple(replace(each, message=self._shown(each.message)) for each in found))

    async def search(self, where: Where, search: Search) -> Result[Matches, GitFailure]:
        """Where a text is, in files that git tracks or would add."""
        names = search.where is SearchIn.NAMES
        arguments = git_search.names(search) if names else git_search.content(search)
        asked = await self._run(where, Command(arguments), LOOK_SECONDS)
        if failed(asked) and asked.failure() == GitFailure(GitCode.FAILED, ""):
            return Success(matched(()))  # git-grep(1) says nothing and fails where nothing is
        read = git_search.read_names if names else git_search.read_content
        return asked.map(lambda said: read(said.stdout, search.query))

    async def change(self, where: Where, change: Change) -> Result[Done, GitFailure]:
        """Do it, and say what HEAD is then."""
        if isinstance(change, Discard):
            discarded = await self.discard(
                where.directory, where.environment, where.task, change.paths
            )
            if failed(discarded):
                return discarded
            return Success(Done(await self._head(where), discarded.unwrap(), ""))
        branch = await self._branch(where) if isinstance(change, Push) else Success("")
        if failed(branch):
            return branch
        command = git_change.command(change, branch.unwrap())
        done = await self._run(where, command, CHANGE_SECONDS)
        if failed(done):
            return done
        return Success(Done(await self._head(where), None, self._words(done.unwrap())))

    async def _branch(self, where: Where) -> Result[str, GitFailure]:
        question = Command(("symbolic-ref", "--quiet", "--short", "HEAD"))
        asked = await self._run(where, question, LOOK_SECONDS)
        if failed(asked) and asked.failure().code is GitCode.FAILED:
            return Failure(GitFailure(GitCode.NO_BRANCH, "HEAD is on no branch"))
        return asked.map(lambda said: said.stdout.strip())

    async def _head(self, where: Where) -> str | None:
        question = Command(("rev-parse", "--verify", "--quiet", "HEAD"))
        asked = await self._run(where, question, LOOK_SECONDS)
        return None if failed(asked) else asked.unwrap().stdout.strip()

    async def _run(self, where: Where, command: Command, seconds: float) -> _Asked:
        return await self.git(
            command.arguments,
            directory=where.directory,
            environment=where.environment,
            seconds=seconds,
            stdin=command.stdin,
        )

    def _shown(self, text: str) -> str:
        return self.redactor.redact(text, Surface.TRANSCRIPT).text

    def _words(self, said: Completed) -> str:
        """The end of it; nothing is cut before secrets are gone."""
        text = self.redactor.redact(shown(said.stdout), Surface.EVIDENCE).text + said.stderr
        return text[-git_change.MAX_OUTPUT_CHARACTERS :].strip()
