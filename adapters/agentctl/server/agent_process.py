"""The agent's process as its instance sees it: what holds its stdout back, its stderr, its end."""

import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from adapters.agentctl.server.equipment import Equipment
from adapters.agentctl.server.happening import Happening
from adapters.agentctl.server.stderr_tail import StderrTail
from adapters.agentctl.server.turns import Demise
from domain.agent_bounds import AgentBounds
from domain.event import Json
from domain.outcome import Failure, Result, Success, failed
from ports.processes import Child, Exit, Processes, SpawnCode, SpawnFailed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AgentProcess",)

_REFUSALS: Final = {
    SpawnCode.NOT_FOUND: (RuntimeCode.AGENT_MISSING, "{program} is not there"),
    SpawnCode.NOT_EXECUTABLE: (RuntimeCode.AGENT_MISSING, "{program} cannot be executed"),
    SpawnCode.NO_DIRECTORY: (RuntimeCode.WORKTREE, "the workspace is no directory"),
    SpawnCode.TOO_BIG: (RuntimeCode.ENVIRONMENT, "command and environment are too big to start"),
    SpawnCode.NO_RESOURCES: (RuntimeCode.AGENT_DIED, "no process or descriptor is left for it"),
}

_BY_NOTHING: Final[frozenset[str]] = frozenset()


class AgentProcess:
    """Started once, ended once.

    `spent` says that it is to be ended: nothing more is heard of it, or somebody asked to stop it.
    """

    __slots__ = (
        "_bounds",
        "_child",
        "_ended",
        "_exit",
        "_hard_stop",
        "_held",
        "_stderr",
        "_stop_asked",
        "spent",
    )

    def __init__(self, bounds: AgentBounds, stderr: StderrTail, *, hard_stop: bool) -> None:
        self._bounds = bounds
        self._stderr = stderr
        self._hard_stop = hard_stop
        self._child: Child | None = None
        self._held = _BY_NOTHING
        self._exit: Exit | None = None
        self._ended = Happening()
        self._stop_asked = False
        self.spent = Happening()

    @property
    def stderr(self) -> str:
        """The redacted tail of what it wrote to stderr."""
        return self._stderr.text()

    @property
    def identity(self) -> tuple[int, int] | None:
        """Its pid and start time, once it was started."""
        return (self._child.pid, self._child.started) if self._child else None

    async def start(
        self,
        processes: Processes,
        command: Sequence[str],
        equipment: Equipment,
        on_stdout: Callable[[bytes], None],
    ) -> Result[None, RuntimeProblem]:
        equipment.workspace.worked = True
        started = await processes.start(
            command,
            directory=str(equipment.workspace.directory),
            environment=equipment.environment.variables,
            on_stdout=on_stdout,
            on_stderr=self._stderr.feed,
        )
        if failed(started):
            return Failure(_refusal(started.failure()))
        self._child = started.unwrap()
        if self._held:
            self._child.pause_stdout()
        return Success(None)

    async def write(self, data: bytes) -> None:
        if self._child is None:
            raise BrokenPipeError
        await self._child.write(data)

    def hold(self, reason: str, held: bool) -> None:
        """Read no more of its stdout while any reason holds."""
        if held is (reason in self._held):
            return
        before = bool(self._held)
        self._held = self._held | {reason} if held else self._held - {reason}
        if self._child is not None and before != bool(self._held):
            (self._child.pause_stdout if self._held else self._child.resume_stdout)()

    def ask_to_stop(self) -> None:
        """Idempotent."""
        self._stop_asked = True
        self.spent.happen()

    async def end(self) -> Exit:
        """End it with every descendant, in the way that the agent deserves. Idempotent."""
        if self._child is None:
            return Exit(None, None)
        if self._exit is None:
            # One that waits to write its stdout cannot leave politely.
            at_once = self._hard_stop or bool(self._held)
            polite = self._bounds.polite if self._stop_asked else self._bounds.gone
            self._exit = await self._child.stop(
                polite=0.0 if at_once else polite,
                terminate=0.0 if self._hard_stop else self._bounds.terminate,
                kill=self._bounds.kill,
            )
            self._ended.happen()
        return self._exit

    async def demise(self) -> Demise:
        """How it ended, once it was ended."""
        await self._ended.wait()
        assert self._exit is not None, "it has ended"
        exit_ = self._exit
        asked, stderr = self._stop_asked, self.stderr
        body: Json = {
            "status": exit_.status,
            "signal": exit_.signal,
            "asked": asked,
            "stderr": stderr,
        }
        return Demise(asked, _sentence(exit_), body)


def _sentence(ended: Exit) -> str:
    if ended.signal is not None:
        return f"the agent was ended by {_signal_name(ended.signal)}"
    return f"the agent ended with status {ended.status}"


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _refusal(failed_start: SpawnFailed) -> RuntimeProblem:
    code, sentence = _REFUSALS[failed_start.code]
    return RuntimeProblem(code, sentence.format(program=failed_start.program))
