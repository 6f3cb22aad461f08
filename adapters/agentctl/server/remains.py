"""What a killed agentctl left of an instance: a log without its end, and maybe processes.

They are ended, the log is given its end, and the events can be read until they are released.
"""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
from typing_extensions import override

from adapters.agentctl.server import record
from adapters.agentctl.server.beside import Beside
from adapters.agentctl.server.event_log import EventLog
from adapters.agentctl.server.git_explanation import Known
from adapters.agentctl.server.hosted import Hosted
from adapters.agentctl.server.record import Record
from domain.credential_doctor import Diagnosis, Examined
from domain.event import EventKind, Json
from domain.execution import Handle
from domain.git_configuration import GitConfiguration
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Failure, Result
from domain.turn import TurnState
from domain.turn_evidence import UNKNOWN
from ports.processes import Leftovers
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Recovery", "Remains")

_ENDED: Final = RuntimeProblem(RuntimeCode.AGENT_DIED, "the agent has ended")


class Remains(Hosted):
    """An execution whose agent is gone. Its log is complete."""

    def __init__(self, handle: Handle, log: EventLog, directory: Path) -> None:
        self.handle = handle
        self.log = log
        self._directory = directory

    @property
    @override
    def alive(self) -> bool:
        return False

    @property
    @override
    def over(self) -> bool:
        return True

    @property
    @override
    def turn_generation(self) -> int | None:
        return None

    @property
    @override
    def workspace(self) -> Path | None:
        return None

    @override
    def prompt(self, generation: int, text: str) -> Result[None, RuntimeProblem]:
        return Failure(_ENDED)

    @override
    def cancel(self) -> None:
        """There is no turn."""

    @override
    def answer(self, request: str, option: str | None) -> Result[None, RuntimeProblem]:
        return Failure(RuntimeProblem(RuntimeCode.NO_PERMISSION, "the agent has ended"))

    @override
    def acknowledge(self, through: int) -> None:
        self.log.acknowledge(through)
        self.log.flush()

    @override
    async def git_configuration(self) -> Result[GitConfiguration, RuntimeProblem]:
        return Failure(_ENDED)

    @override
    async def examine_credentials(
        self, examined: Sequence[Examined]
    ) -> Result[Sequence[Diagnosis], RuntimeProblem]:
        return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent has ended"))

    @override
    def known(self) -> Result[Known, RuntimeProblem]:
        return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent has ended"))

    @override
    def beside(self) -> Result[Beside, RuntimeProblem]:
        return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent has ended"))

    @override
    async def stop(self) -> None:
        """It is stopped."""

    @override
    def release(self) -> None:
        self.log.close()
        shutil.rmtree(self._directory, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Recovery:
    """Looks for remains once, at start. `lives` tells whether a process of pid and start does."""

    directory: Path
    leftovers: Leftovers
    lives: Callable[[int, int], bool]
    now: Callable[[], datetime]
    terminate: float
    kill: float

    async def __call__(self) -> list[Remains]:
        """End what was left running; those whose launch never answered leave nothing."""
        found = [
            (directory, known)
            for directory in self._directories()
            if (known := record.read(directory)) is None or not self.lives(*known.agentctl)
        ]
        async with asyncio.TaskGroup() as group:
            for _, known in found:
                if known is not None:
                    group.create_task(self._end(known))
        recovered = [self._recover(directory, known) for directory, known in found]
        return [remains for remains in recovered if remains is not None]

    def _directories(self) -> Iterator[Path]:
        if self.directory.is_dir():
            yield from sorted(path for path in self.directory.iterdir() if path.is_dir())

    async def _end(self, known: Record) -> None:
        await self.leftovers.end(
            known.execution,
            [*([known.agent] if known.agent else []), *known.beside],
            since=known.agentctl[1],
            terminate=self.terminate,
            kill=self.kill,
        )

    def _recover(self, directory: Path, known: Record | None) -> Remains | None:
        log = EventLog(directory, now=self.now, clean=lambda encoded: encoded)
        last = _last_event(log) if known is not None else None
        if known is None or last is None:
            log.close()
            shutil.rmtree(directory, ignore_errors=True)
            return None
        if last.kind != EventKind.EXITED:
            _end_log(log, last.turn)
        log.end()
        handle = Handle(ExecutionId(known.execution), TaskId(known.task), SessionId(known.session))
        return Remains(handle, log, directory)


@dataclass(frozen=True, slots=True)
class _Last:
    """The kind of the last event, and the generation of a turn that has no ending yet."""

    kind: str
    turn: int | None


class _Line(msgspec.Struct):
    kind: str
    generation: int | None


_LINES: Final = msgspec.json.Decoder(_Line)


def _last_event(log: EventLog) -> _Last | None:
    last: _Last | None = None
    turn: int | None = None
    for line in log.recover():
        event = _LINES.decode(line)
        if event.kind == EventKind.TURN_STARTED:
            turn = event.generation
        elif event.kind == EventKind.COMPLETE:
            turn = None
        last = _Last(event.kind, turn)
    return last


def _end_log(log: EventLog, turn: int | None) -> None:
    detail = "agentctl was ended from outside"
    if turn is not None:
        ending: Json = {
            "state": TurnState.INTERRUPTED,
            "stop_reason": None,
            "error": detail,
            "evidence": UNKNOWN,
        }
        log.append(EventKind.COMPLETE, turn, ending)
    gone: Json = {"status": None, "signal": None, "asked": False, "stderr": ""}
    log.append(EventKind.EXITED, None, gone)
    log.flush()
