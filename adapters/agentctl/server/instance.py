"""One instance: an agent's process, its conversation, its event log and its one life.

It is created whole or not at all, lives in a task of its own until it is stopped or its agent
ends, and then leaves nothing but its log, until that is released.
"""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from typing_extensions import override

from adapters.agentctl import wire
from adapters.agentctl.server import record
from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.acp.transport import AgentTransport
from adapters.agentctl.server.agent_files import AgentFiles
from adapters.agentctl.server.agent_process import AgentProcess
from adapters.agentctl.server.agent_terminals import AgentTerminals
from adapters.agentctl.server.beside import Beside
from adapters.agentctl.server.event_log import EventLog
from adapters.agentctl.server.git_explanation import Kept, Known, unpack
from adapters.agentctl.server.happening import Happening
from adapters.agentctl.server.hearing import Hearing
from adapters.agentctl.server.hosted import Hosted
from adapters.agentctl.server.launching import Launched, Launching
from adapters.agentctl.server.life import Life
from adapters.agentctl.server.parts import Parts
from adapters.agentctl.server.record import Record
from adapters.agentctl.server.stderr_tail import StderrTail
from adapters.agentctl.server.turn_evidence import GitWitness
from adapters.agentctl.server.turns import Talk, Turns
from adapters.agentctl.server.worktrees import Place, misplaced
from domain.credential_doctor import Diagnosis, Examined
from domain.event import EventKind, Json
from domain.execution import Handle
from domain.git_configuration import GitConfiguration
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Instance",)

Answer: TypeAlias = "Callable[[Instance, Result[wire.Created, RuntimeProblem]], None]"

RETRY_SECONDS: Final = 1.0
"""Between attempts to write a log that the disk did not take."""


class Instance(Hosted):
    """`live` is its life, run by its owner in a task; everything else is called meanwhile."""

    __slots__ = (
        "_admit",
        "_asked",
        "_beside",
        "_git",
        "_hearing",
        "_launched",
        "_over",
        "_parts",
        "_permissions",
        "_places",
        "_process",
        "_retry",
        "_talk",
        "_transport",
        "_turns",
        "_workspace",
        "begun",
        "handle",
        "log",
    )

    def __init__(self, parts: Parts, asked: wire.Create) -> None:
        self.handle = Handle(
            ExecutionId(asked.execution), TaskId(asked.task), SessionId(asked.session)
        )
        self._parts = parts
        self._asked: wire.Create | None = asked
        self.begun = Happening()
        """That its log can be read, though nothing of it was answered yet."""
        self._over = Happening()
        self._retry: asyncio.TimerHandle | None = None
        self._talk: Talk | None = None
        self._git: Kept | None = None
        self._beside: Beside | None = None
        self._admit: Callable[[int, int], None] | None = None
        self._places: tuple[Place, ...] = ()
        self._workspace: str | None = None
        self._launched: Result[Launched, RuntimeProblem] | None = None
        bounds, flush = parts.bounds, self._flush
        stderr = StderrTail(bounds.stderr_lines, bounds.stderr_line, parts.redactor)
        self._process = AgentProcess(bounds, stderr, hard_stop=asked.hard_stop)
        self.log = EventLog(self._directory, now=parts.clock.now, clean=parts.clean)
        self._hearing = Hearing(self.log, self._crowd, parts.evidence, self._process.spent.happen)
        self._permissions = Permissions(
            self._hearing.record,
            flush,
            automatic=asked.approve_automatically,
            limit=bounds.permissions,
        )
        self._transport = AgentTransport(self._process.write, self._hearing, bounds)
        self._turns = Turns(self._hearing, self._permissions, flush, self._process.demise, bounds)

    @property
    def _directory(self) -> Path:
        return self._parts.directory / self.handle.execution

    @property
    def identity(self) -> tuple[int, int] | None:
        """Pid and start time of the agent, once it was started."""
        return self._process.identity

    @property
    @override
    def alive(self) -> bool:
        return self._talk is not None

    @property
    @override
    def over(self) -> bool:
        return bool(self._over)

    @property
    @override
    def turn_generation(self) -> int | None:
        return self._turns.generation

    @property
    @override
    def workspace(self) -> Path | None:
        return None if self._workspace is None else Path(self._workspace)

    async def live(self, answer: Answer) -> None:
        """The whole life. Calls `answer` once, then goes on until the agent has ended."""
        try:
            async with Life() as life:
                life.ends_with(self._end_bundles)
                self._launched = await self._launching()(self._take(), life)
                if failed(self._launched):
                    answer(self, self._launched)
                else:
                    await self._serve(answer)
        finally:
            self.log.end()
            self._over.happen()

    @override
    def prompt(self, generation: int, text: str) -> Result[None, RuntimeProblem]:
        talk = self._talk
        if talk is None:
            return Failure(RuntimeProblem(RuntimeCode.AGENT_DIED, "the agent has ended"))
        astray = misplaced(self._places)
        if astray is not None:
            return Failure(astray)
        return self._turns.begin(talk, generation, text)

    @override
    def cancel(self) -> None:
        self._turns.cancel()

    @override
    def answer(self, request: str, option: str | None) -> Result[None, RuntimeProblem]:
        return self._permissions.answer(request, option)

    @override
    async def git_configuration(self) -> Result[GitConfiguration, RuntimeProblem]:
        if self._git is None:
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent is not there yet"))
        return Success(await self._parts.explain(self._git))

    @override
    async def examine_credentials(
        self, examined: Sequence[Examined]
    ) -> Result[Sequence[Diagnosis], RuntimeProblem]:
        if self._git is None or not self.alive:
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "no agent runs"))
        return Success(await self._parts.examine(self._git, examined))

    @override
    def known(self) -> Result[Known, RuntimeProblem]:
        if self._git is None or not self.alive:
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "no agent runs"))
        astray = misplaced(self._places)
        return Success(unpack(self._git)) if astray is None else Failure(astray)

    @override
    def beside(self) -> Result[Beside, RuntimeProblem]:
        talk, git, workspace = self._talk, self._git, self.workspace
        if talk is None or git is None or workspace is None:
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "no agent runs"))
        if self._beside is None:
            self._beside = Beside(self._parts, git, workspace, talk.group, self._note)
        return Success(self._beside)

    @override
    def acknowledge(self, through: int) -> None:
        self.log.acknowledge(through)
        self._flush()

    @override
    async def stop(self) -> None:
        self._process.ask_to_stop()
        await self._over.wait()

    @override
    def release(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
        self.log.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _note(self, pid: int, started: int) -> None:
        """A process runs beside the agent: it belongs to the instance, also when we are killed.

        On a full disk the mark in its environment still tells whose it is.
        """
        if self._admit is not None:
            self._admit(pid, started)
        handle, beside = self.handle, self._beside
        known = Record(
            handle.execution,
            handle.task,
            handle.session,
            self._parts.identity,
            self.identity,
            beside.identities if beside is not None else [],
        )
        with suppress(OSError):
            record.write(self._directory, known)

    def _take(self) -> wire.Create:
        """The request, which nothing keeps once the agent runs: thousands may idle."""
        asked, self._asked = self._asked, None
        assert asked is not None, "an instance lives once"
        return asked

    def _launching(self) -> Launching:
        beside = self.beside
        return Launching(
            self._parts,
            self.handle,
            self._directory,
            self._process,
            self.log,
            self._hearing,
            self._permissions,
            AgentTerminals(beside),
            AgentFiles(beside),
            self._transport,
            self._flush,
            self._on_stdout,
            self.begun.happen,
        )

    async def _serve(self, answer: Answer) -> None:
        """Until the agent has ended, its last turn was ended and its end was recorded."""
        async with asyncio.TaskGroup() as group:
            talk = self._begin(group, answer)
            try:
                await self._process.spent.future
            finally:
                self._talk = None
                if self._beside is not None:
                    await self._beside.close()
            if self._hearing.broken_by is not None:
                body: Json = {"code": RuntimeCode.PROTOCOL, "detail": self._hearing.broken_by}
                self._hearing.record(EventKind.ERROR, body)
            await self._process.end()
            await talk.conversation.close()
        await talk.pushes.look()
        self._hearing.record(EventKind.EXITED, (await self._process.demise()).body)
        self._flush()

    def _begin(self, group: asyncio.TaskGroup, answer: Answer) -> Talk:
        """Answer the launch, of which only what the life needs is kept."""
        assert self._launched is not None, "a life begins after its launch"
        launched, self._launched = self._launched.unwrap(), None
        self._places, self._workspace = launched.places, str(launched.workspace)
        self._git, self._admit = launched.git, launched.admit
        witness = GitWitness(self._parts.git, launched.git, launched.watched)
        session = launched.created.acp_session
        talk = Talk(group, launched.conversation, session, witness, launched.pushes)
        self._talk = talk
        answer(self, Success(launched.created))
        return talk

    async def _end_bundles(self) -> None:
        await self._parts.bundles.end(self.handle)

    def _crowd(self, crowded: bool) -> None:
        self._process.hold("requests", crowded)

    def _on_stdout(self, data: bytes) -> None:
        self._transport.feed(data)
        self._flush()

    def _flush(self) -> None:
        """Make durable what was recorded; the agent waits for the disk and for its readers."""
        written = self.log.flush()
        self._process.hold("disk", not written)
        self._process.hold("readers", self.log.held >= self._parts.bounds.log)
        if not written and self._retry is None:
            loop = asyncio.get_running_loop()
            self._retry = loop.call_later(RETRY_SECONDS, self._flush_again)

    def _flush_again(self) -> None:
        self._retry = None
        self._flush()
