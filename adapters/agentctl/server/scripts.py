"""Scripts of a repository, run by the POSIX shell in one of its worktrees.

What a script writes is redacted as a stream, told while it runs up to a bound, and its end is kept.
When a script is over, by itself, at its limit or because it is given up, nothing of it runs on.
"""

import asyncio
import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from adapters.agentctl import wire
from domain import script
from domain.event import Json
from domain.outcome import failed
from domain.redaction import Redactor
from domain.redaction_stream import ByteStream
from domain.script import OUTPUT_BYTES, TOLD_BYTES, Placeholder
from ports.git import GitProcess
from ports.processes import Child, Exit, Processes

__all__ = ("Kind", "Ran", "Scripts", "Where", "sentence")

SHELL: Final = "/bin/sh"

TELL_SECONDS: Final = 0.1
"""Output that arrives within this time is told together."""

QUESTION_SECONDS: Final = 10.0
"""For git to say who the user is."""


class Kind(StrEnum):
    SETUP = "setup"
    CLEANUP = "cleanup"


@dataclass(frozen=True, slots=True)
class Where:
    """The worktree of a checkout below the directory of its task, and the scripts' environment."""

    checkout: wire.Checkout
    worktree: str
    workspace: str
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ran:
    """How a script ended. `exit` is None when it was not started, `output` its redacted end."""

    exit: Exit | None
    timed_out: bool
    output: str
    omitted_bytes: int

    @property
    def succeeded(self) -> bool:
        return self.exit is not None and self.exit.status == 0 and not self.timed_out

    def to_json(self) -> Json:
        return {
            "status": "completed" if self.succeeded else "failed",
            "exit": None if self.exit is None else self.exit.status,
            "signal": None if self.exit is None else self.exit.signal,
            "timed_out": self.timed_out,
            "output": self.output,
            "omitted_bytes": self.omitted_bytes,
        }


@dataclass(frozen=True, slots=True)
class Scripts:
    """`processes` may end whatever carries the execution's mark: nothing else of it runs yet."""

    processes: Processes
    git: GitProcess
    redactor: Redactor
    setup_seconds: float = script.SETUP_TIMEOUT.total_seconds()
    cleanup_seconds: float = script.CLEANUP_TIMEOUT.total_seconds()
    terminate: float = 2.0
    kill: float = 2.0

    async def __call__(self, kind: Kind, where: Where, tell: Callable[[Json], None]) -> Ran:
        """Run one, which is not blank, to its end; `tell` is given what a reader should see."""
        scripts = where.checkout.scripts
        assert scripts is not None, "there is a script"
        setup = kind is Kind.SETUP
        text = script.expand(
            scripts.setup if setup else scripts.cleanup, await self._values(where, scripts)
        )
        named: Json = {"script": kind.value, "repository": scripts.name}
        tell({**named, "status": "running"})
        output = _Output(self.redactor, lambda said: tell({**named, "status": "running"} | said))
        seconds = self.setup_seconds if setup else self.cleanup_seconds
        started = await self.processes.start(
            [SHELL, "-c", text],
            directory=where.worktree,
            environment=where.environment,
            on_stdout=output.feed,
            on_stderr=output.feed,
        )
        if failed(started):
            output.feed(f"the script cannot be started: {started.failure().code.value}\n".encode())
            ran = output.close(None, timed_out=False)
        else:
            exit_, timed_out = await self._wait(started.unwrap(), seconds)
            ran = output.close(exit_, timed_out=timed_out)
        tell({**named, **ran.to_json()})
        return ran

    async def _wait(self, child: Child, seconds: float) -> tuple[Exit, bool]:
        child.close_stdin()
        ending = asyncio.ensure_future(child.wait())
        try:
            await asyncio.wait({ending}, timeout=seconds)
            timed_out = not ending.done()
        finally:
            ending.cancel()
            ended = await child.stop(polite=0, terminate=self.terminate, kill=self.kill)
        return ended, timed_out

    async def _values(self, where: Where, scripts: wire.Scripts) -> dict[str, str]:
        checkout = where.checkout
        values = {
            Placeholder.REPOSITORY_PATH: checkout.source,
            Placeholder.REPOSITORY_NAME: scripts.name,
            Placeholder.REPOSITORY_BRANCH: scripts.branch,
            Placeholder.WORKSPACE_PATH: where.workspace,
            Placeholder.WORKTREE_PATH: where.worktree,
            Placeholder.WORKTREE_BRANCH: checkout.branch,
            Placeholder.WORKTREE_BASE_BRANCH: checkout.base,
            Placeholder.GIT_USER_NAME: await self._git_says(where, "user.name"),
            Placeholder.GIT_USER_EMAIL: await self._git_says(where, "user.email"),
        }
        return {name.value: value for name, value in values.items()}

    async def _git_says(self, where: Where, key: str) -> str:
        told = await self.git(
            ["config", "--get", key],
            directory=where.worktree,
            environment=where.environment,
            seconds=QUESTION_SECONDS,
        )
        return "" if failed(told) else told.unwrap().stdout.removesuffix("\n")


def sentence(kind: Kind, name: str, ran: Ran) -> str:
    """How a script failed."""
    if ran.timed_out:
        how = "did not end within its time"
    elif ran.exit is None:
        how = "could not be started"
    elif ran.exit.signal is not None:
        how = f"was ended by signal {ran.exit.signal}"
    else:
        how = f"ended with status {ran.exit.status}"
    return f"the {kind.value} script of {name} {how}"


class _Output:
    """Both outputs of a script as one stream: told in pieces, its end kept, without secrets."""

    def __init__(self, redactor: Redactor, tell: Callable[[Json], None]) -> None:
        self._stream = ByteStream(redactor)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._tell = tell
        self._told = 0
        self._pending = ""
        self._later: asyncio.TimerHandle | None = None
        self._size = 0
        self._end = b""

    def feed(self, data: bytes) -> None:
        self._take(self._stream.feed(data))

    def close(self, ended: Exit | None, *, timed_out: bool) -> Ran:
        self._take(self._stream.close())
        if self._later is not None:
            self._later.cancel()
        self._say()
        kept = script.keep_tail(self._end)
        omitted = self._size - len(kept.text)
        return Ran(ended, timed_out, kept.text.decode("utf-8", "replace"), omitted)

    def _take(self, clean: bytes) -> None:
        self._size += len(clean)
        self._end = (self._end + clean)[-2 * OUTPUT_BYTES :]
        room = TOLD_BYTES - self._told
        self._told += min(room, len(clean))
        self._pending += self._decoder.decode(clean[:room])
        if self._pending and self._later is None:
            self._later = asyncio.get_running_loop().call_later(TELL_SECONDS, self._say)

    def _say(self) -> None:
        self._later = None
        text, self._pending = self._pending, ""
        if text:
            self._tell({"text": text})
