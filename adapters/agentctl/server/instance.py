"""One instance: an agent's process, its conversation, its event log and its one life.

It is created whole or not at all, lives in a task of its own until it is stopped or its agent
ends, and then leaves nothing but its log, until that is released.
"""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from typing_extensions import override

from adapters.agentctl import wire
from adapters.agentctl.server import record
from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.acp.transport import AgentTransport
from adapters.agentctl.server.agent_process import AgentProcess
from adapters.agentctl.server.cleaning import clean_event, evidence
from adapters.agentctl.server.conversations import Conversation, Converse
from adapters.agentctl.server.equipment import Equipment, Outfitter, unwritable
from adapters.agentctl.server.event_log import EventLog
from adapters.agentctl.server.git_explanation import GitExplainer, Kept, keep
from adapters.agentctl.server.greeting import greet
from adapters.agentctl.server.happening import Happening
from adapters.agentctl.server.hearing import Hearing
from adapters.agentctl.server.hosted import Hosted
from adapters.agentctl.server.record import Record
from adapters.agentctl.server.stderr_tail import StderrTail
from adapters.agentctl.server.turns import Turns
from adapters.agentctl.server.worktrees import checkouts
from domain.agent_bounds import AgentBounds
from domain.event import EventKind, Json
from domain.execution import Handle
from domain.git_configuration import GitConfiguration
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Failure, Result, Success, failed
from domain.redaction import Redactor, Surface
from ports.clock import Clock
from ports.processes import Processes
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Instance", "Parts")

RETRY_SECONDS: Final = 1.0
"""Between attempts to write a log that the disk did not take."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What instances are made of; each has a directory of its own below `directory`.

    `identity` is the pid and the start time of this agentctl.
    """

    processes: Processes
    outfitter: Outfitter
    converse: Converse
    redactor: Redactor
    clock: Clock
    directory: Path
    identity: tuple[int, int]
    version: str
    bounds: AgentBounds
    explain: GitExplainer


_Launched: TypeAlias = Result[tuple[Conversation, wire.Created], RuntimeProblem]

_GIVEN_UP: Final = RuntimeProblem(RuntimeCode.AGENT_DIED, "the launch was given up")


class Instance(Hosted):
    """`live` is its life, run by its owner in a task; everything else is called meanwhile."""

    def __init__(self, parts: Parts, asked: wire.Create) -> None:
        self.handle = Handle(
            ExecutionId(asked.execution), TaskId(asked.task), SessionId(asked.session)
        )
        self._parts = parts
        self._asked: wire.Create | None = asked
        self._directory = parts.directory / asked.execution
        self._over = Happening()
        self._retry: asyncio.TimerHandle | None = None
        self._talk: _Talk | None = None
        self._git: Kept | None = None
        bounds, redactor = parts.bounds, parts.redactor
        stderr = StderrTail(bounds.stderr_lines, bounds.stderr_line, redactor)
        self._process = AgentProcess(bounds, stderr, hard_stop=asked.hard_stop)
        self.log = EventLog(
            self._directory, now=parts.clock.now, clean=lambda said: clean_event(said, redactor)
        )
        self._hearing = Hearing(
            self.log,
            lambda crowded: self._process.hold("requests", crowded),
            lambda line: evidence(line, bounds.noise_line, redactor),
        )
        self._permissions = Permissions(
            self._hearing.record,
            self._flush,
            automatic=asked.approve_automatically,
            limit=bounds.permissions,
        )
        self._transport = AgentTransport(self._process.write, self._hearing, bounds)
        self._turns = Turns(
            self._hearing, self._permissions, self._flush, self._process.demise, bounds
        )

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

    async def live(self, answer: Callable[[Result[wire.Created, RuntimeProblem]], None]) -> None:
        """The whole life. Calls `answer` once, then goes on until the agent has ended."""
        try:
            async with AsyncExitStack() as life:
                launched = await self._launch_or_undo(life)
                if failed(launched):
                    problem = launched.failure()
                    answer(Failure(replace(problem, detail=self._redacted(problem.detail))))
                    return
                await self._serve(*launched.unwrap(), answer)
        finally:
            self.log.end()
            self._over.happen()

    @override
    def prompt(self, generation: int, text: str) -> Result[None, RuntimeProblem]:
        talk = self._talk
        if talk is None:
            return Failure(RuntimeProblem(RuntimeCode.AGENT_DIED, "the agent has ended"))
        return self._turns.begin(talk.group, talk.conversation, talk.session, generation, text)

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
    def acknowledge(self, through: int) -> None:
        self.log.acknowledge(through)
        self._flush()

    @override
    async def stop(self) -> None:
        self._process.stop_asked.happen()
        await self._over.wait()

    @override
    def release(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
        self.log.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    async def _launch_or_undo(self, life: AsyncExitStack) -> _Launched:
        """Launch, or leave nothing; what ends with the instance goes onto `life`."""
        asked, self._asked = self._asked, None
        assert asked is not None, "an instance lives once"
        async with AsyncExitStack() as undo:
            launched: _Launched = Failure(_GIVEN_UP)
            try:
                launched = await self._launch(asked, life, undo)
            finally:
                if failed(launched):
                    await life.aclose()
                else:
                    undo.pop_all()
        return launched

    async def _launch(
        self, asked: wire.Create, life: AsyncExitStack, undo: AsyncExitStack
    ) -> _Launched:
        equipped = await self._parts.outfitter.equip(
            self.handle, asked, self._directory, life=life, undo=undo
        )
        if failed(equipped):
            return equipped
        equipment = equipped.unwrap()
        undo.callback(self.log.close)
        try:
            self.log.open()
            self._write_record()
            conversation = await self._start(asked, equipment, life)
        except OSError as error:
            return Failure(unwritable(error))
        if failed(conversation):
            return conversation
        environment = equipment.environment
        greeted = await greet(
            conversation.unwrap(),
            self._hearing,
            str(equipment.workspace.directory),
            asked.acp_session,
            self._parts.version,
            environment.removed,
        )
        self._flush()
        self._git = keep(environment, checkouts(asked))
        if failed(greeted):
            return Failure(await self._explained(greeted.failure()))
        created = greeted.unwrap()
        if created.lost_context is not None:
            lost = self._redacted(created.lost_context)
            created = msgspec.structs.replace(created, lost_context=lost)
        return Success((conversation.unwrap(), created))

    async def _start(
        self, asked: wire.Create, equipment: Equipment, life: AsyncExitStack
    ) -> Result[Conversation, RuntimeProblem]:
        life.push_async_callback(self._process.end)
        started = await self._process.start(
            self._parts.processes, asked.command, equipment, self._on_stdout
        )
        if failed(started):
            return started
        self._write_record()
        identity = self._process.identity
        if equipment.sockets is not None and identity is not None:
            equipment.sockets.admit(*identity)
        conversation = await self._parts.converse(
            self._transport, self._permissions, self._parts.bounds
        )
        life.push_async_callback(conversation.close)
        return Success(conversation)

    async def _serve(
        self,
        conversation: Conversation,
        created: wire.Created,
        answer: Callable[[Result[wire.Created, RuntimeProblem]], None],
    ) -> None:
        """Until the agent has ended, its last turn was ended and its end was recorded."""
        async with asyncio.TaskGroup() as group:
            self._talk = _Talk(group, conversation, created.acp_session)
            answer(Success(created))
            await self._process.until_over(self._hearing.over)
            self._talk = None
            if self._hearing.broken_by is not None:
                body: Json = {"code": RuntimeCode.PROTOCOL, "detail": self._hearing.broken_by}
                self._hearing.record(EventKind.ERROR, body)
            await self._process.end()
            await conversation.close()
        self._hearing.record(EventKind.EXITED, (await self._process.demise()).body)
        self._flush()

    async def _explained(self, problem: RuntimeProblem) -> RuntimeProblem:
        """A failed greeting with what the agent left on stderr, and how it ended if it did."""
        if self._hearing.broken_by is not None:
            problem = RuntimeProblem(RuntimeCode.PROTOCOL, self._hearing.broken_by)
        await self._process.end()
        detail = problem.detail
        if problem.code is RuntimeCode.AGENT_DIED:
            detail = f"{detail}: {(await self._process.demise()).detail}"
        return RuntimeProblem(problem.code, detail, self._process.stderr)

    def _redacted(self, text: str) -> str:
        return self._parts.redactor.redact(text, Surface.EVIDENCE).text

    def _write_record(self) -> None:
        handle, parts = self.handle, self._parts
        known = Record(handle.execution, handle.task, handle.session, parts.identity, self.identity)
        record.write(self._directory, known)

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


@dataclass(frozen=True, slots=True)
class _Talk:
    """What a prompt needs, while there is an agent to be prompted."""

    group: asyncio.TaskGroup
    conversation: Conversation
    session: str
