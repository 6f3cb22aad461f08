"""The one way to start git: bounded in time and output, never asking, ended as a group."""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from adapters.git.ownership import owners
from domain import environment_sentence, git_command, git_config
from domain.git_failure import GitCode, GitFailure, classify, distrusted
from domain.outcome import Failure, Result, Success, failed
from ports.git import Completed
from ports.processes import Child, Exit, Processes, SpawnCode, SpawnFailed
from ports.redactor import Redactor

__all__ = ("LocalGit",)

_END_SECONDS: Final = 2.0
"""For a command that is ended to take its locks away, and again for it to be gone."""

_UNSTARTED: Final[Mapping[SpawnCode, GitCode]] = {
    SpawnCode.NOT_FOUND: GitCode.MISSING,
    SpawnCode.NOT_EXECUTABLE: GitCode.MISSING,
    SpawnCode.NO_DIRECTORY: GitCode.NOT_A_REPOSITORY,
}


@dataclass(frozen=True, slots=True)
class LocalGit:
    """`ports.git.GitProcess`: git from the `PATH` of the environment that it is given."""

    processes: Processes
    redactor: Redactor

    async def __call__(
        self,
        arguments: Sequence[str],
        *,
        directory: str,
        environment: Mapping[str, str],
        seconds: float,
        stdin: bytes = b"",
        isolated: bool = False,
        index: str | None = None,
    ) -> Result[Completed, GitFailure]:
        parsed = git_config.parse(environment)
        if failed(parsed):
            told = environment_sentence.sentence(parsed.failure())
            return Failure(GitFailure(GitCode.MALFORMED_ENVIRONMENT, told))
        program = shutil.which("git", path=environment.get("PATH", os.defpath))
        if program is None:
            return Failure(GitFailure(GitCode.MISSING, ""))
        limit = asyncio.timeout(seconds)
        output, words = _Output(limit), _Tail()
        child: Child | None = None
        ended: Exit | None = None
        try:
            async with limit:
                started = await self.processes.start(
                    [program, *arguments],
                    directory=directory,
                    environment=git_command.environment(
                        environment, isolated=isolated, index=index
                    ),
                    on_stdout=output,
                    on_stderr=words,
                )
                if failed(started):
                    return Failure(_unstarted(started.failure()))
                child = started.unwrap()
                await _feed(child, stdin)
                ended = await child.wait()
        except TimeoutError:
            pass
        finally:
            if child is not None and ended is None:
                await child.stop(polite=0, terminate=_END_SECONDS, kill=_END_SECONDS)
        said = self.redactor.redact(words.text)
        if output.over:
            return Failure(GitFailure(GitCode.TOO_MUCH_OUTPUT, classify(said).detail))
        if ended is None:
            return Failure(GitFailure(GitCode.TIMEOUT, classify(said).detail))
        if ended.status != 0:
            return Failure(await _classified(said or self.redactor.redact(output.tail)))
        return Success(Completed(output.text, said))


async def _classified(said: str) -> GitFailure:
    failure, repository = classify(said), distrusted(said)
    if repository is None:
        return failure
    return replace(failure, detail=await asyncio.to_thread(owners, repository))


async def _feed(child: Child, data: bytes) -> None:
    with suppress(BrokenPipeError):
        if data:
            await child.write(data)
    child.close_stdin()


def _unstarted(problem: SpawnFailed) -> GitFailure:
    return GitFailure(_UNSTARTED.get(problem.code, GitCode.FAILED), problem.code.value)


class _Output:
    """Standard output up to its bound; one byte more ends the wait."""

    __slots__ = ("_chunks", "_limit", "_size", "over")

    def __init__(self, limit: asyncio.Timeout) -> None:
        self._chunks: list[bytes] = []
        self._limit = limit
        self._size = 0
        self.over = False

    def __call__(self, data: bytes) -> None:
        self._size += len(data)
        if self._size <= git_command.MAX_STDOUT_BYTES:
            self._chunks.append(data)
        elif not self.over:
            self.over = True
            self._chunks.clear()
            self._limit.reschedule(asyncio.get_running_loop().time())

    @property
    def text(self) -> str:
        return b"".join(self._chunks).decode("utf-8", "surrogateescape")

    @property
    def tail(self) -> str:
        """The end of it, for the few commands that say there why they fail."""
        words = _Tail()
        words(b"".join(self._chunks))
        return words.text


class _Tail:
    """The end of standard error, in whole lines: half a secret could not be told as one."""

    __slots__ = ("_cut", "_kept")

    def __init__(self) -> None:
        self._kept = b""
        self._cut = False

    def __call__(self, data: bytes) -> None:
        kept = self._kept + data
        self._cut = self._cut or len(kept) > git_command.MAX_STDERR_BYTES
        self._kept = kept[-git_command.MAX_STDERR_BYTES :]

    @property
    def text(self) -> str:
        whole = self._kept.partition(b"\n")[2] if self._cut else self._kept
        return whole.decode("utf-8", "replace")
