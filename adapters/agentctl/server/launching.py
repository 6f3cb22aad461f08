"""The launch of one instance: equipped, started, greeted; or nothing of it is left."""

import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from adapters.agentctl import wire
from adapters.agentctl.server import push_watch, record
from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.acp.transport import AgentTransport
from adapters.agentctl.server.agent_process import AgentProcess
from adapters.agentctl.server.conversations import Conversation, Wanted
from adapters.agentctl.server.equipment import Equipment, unwritable
from adapters.agentctl.server.event_log import EventLog
from adapters.agentctl.server.git_explanation import Kept, keep
from adapters.agentctl.server.greeting import greet
from adapters.agentctl.server.hearing import Hearing
from adapters.agentctl.server.life import Life
from adapters.agentctl.server.parts import Parts
from adapters.agentctl.server.push_watch import PushWatch
from adapters.agentctl.server.record import Record
from adapters.agentctl.server.served_files import ServedFiles
from adapters.agentctl.server.served_terminals import ServedTerminals
from adapters.agentctl.server.setup import set_up
from adapters.agentctl.server.tool_servers import Servers, read
from adapters.agentctl.server.turn_evidence import Watched, watched
from adapters.agentctl.server.worktrees import Place, checkouts, places
from domain.event import EventKind, Json
from domain.execution import Handle
from domain.outcome import Failure, Result, Success, failed
from domain.redaction import Surface
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Launched", "Launching")

_GIVEN_UP: Final = RuntimeProblem(RuntimeCode.AGENT_DIED, "the launch was given up")


@dataclass(frozen=True, slots=True)
class Launched:
    """An agent that has a conversation, started in `workspace`.

    `git` is what an explanation of its git needs, its environment included; `admit` tells its
    sockets, if it has any, of a process that belongs to it.
    """

    conversation: Conversation
    created: wire.Created
    git: Kept
    places: tuple[Place, ...]
    watched: tuple[Watched, ...]
    workspace: Path
    admit: Callable[[int, int], None] | None
    pushes: PushWatch


@dataclass(frozen=True, slots=True)
class Launching:
    """Called once. `flush` hands out what was recorded, `on_stdout` takes what the agent says.

    `begun` hears that the log can be read.
    """

    parts: Parts
    handle: Handle
    directory: Path
    process: AgentProcess
    log: EventLog
    hearing: Hearing
    permissions: Permissions
    terminals: ServedTerminals
    files: ServedFiles
    transport: AgentTransport
    flush: Callable[[], None]
    on_stdout: Callable[[bytes], None]
    begun: Callable[[], None]

    async def __call__(self, asked: wire.Create, life: Life) -> Result[Launched, RuntimeProblem]:
        """Launch, or leave nothing, cancelled or not; what ends with it goes onto `life`."""
        async with AsyncExitStack() as undo:
            launched: Result[Launched, RuntimeProblem] = Failure(_GIVEN_UP)
            try:
                launched = await self._launch(asked, life, undo)
            finally:
                if failed(launched):
                    await life.close()
                else:
                    undo.pop_all()
        if failed(launched):
            problem = launched.failure()
            return Failure(replace(problem, detail=self._redacted(problem.detail)))
        return launched

    async def _launch(
        self, asked: wire.Create, life: Life, undo: AsyncExitStack
    ) -> Result[Launched, RuntimeProblem]:
        equipped = await self.parts.outfitter.equip(
            self.handle, asked, self.directory, life=life, undo=undo
        )
        if failed(equipped):
            return equipped
        equipment = equipped.unwrap()
        undo.callback(self.log.close)
        try:
            self.log.open()
            self.begun()
            self._warn(equipment)
            self._write_record()
            pushes = await self._watch(asked, equipment)
            ready = await self._set_up(asked, equipment)
            if failed(ready):
                return ready
            started = await self._start(asked, equipment, life)
        except OSError as error:
            return Failure(unwritable(error))
        if failed(started):
            return started
        conversation, environment = started.unwrap(), equipment.environment
        greeted = await greet(
            conversation,
            self.hearing,
            str(equipment.workspace.directory),
            Wanted(asked.acp_session, asked.model, asked.system_prompt),
            self.parts.version,
            environment.removed,
            Servers(
                equipment.tools.server,
                read(asked.mcp_servers),
                environment.variables.get("PATH", os.defpath),
            ),
        )
        self.flush()
        if failed(greeted):
            return Failure(await self._explained(greeted.failure()))
        created = self._shown(greeted.unwrap())
        git = keep(environment, checkouts(asked))
        sockets = equipment.sockets
        return Success(
            Launched(
                conversation,
                created,
                git,
                places(asked),
                watched(asked),
                equipment.workspace.directory,
                None if sockets is None else sockets.admit,
                pushes,
            )
        )

    def _warn(self, equipment: Equipment) -> None:
        for fallback in equipment.workspace.fallbacks:
            told: Json = {"status": "warning", "code": "base_fallback", **fallback._asdict()}
            self.hearing.record(EventKind.SESSION_STATUS, told)
        for warning in equipment.workspace.warnings:
            body: Json = {
                "status": "warning",
                "code": "copy_files",
                "entry": warning.pattern,
                "path": warning.path,
                "reason": warning.reason.value,
            }
            self.hearing.record(EventKind.SESSION_STATUS, body)

        for parity in equipment.workspace.parity:
            self.hearing.record(EventKind.SESSION_STATUS, msgspec.to_builtins(parity))

    async def _set_up(
        self, asked: wire.Create, equipment: Equipment
    ) -> Result[None, RuntimeProblem]:
        """Run the setup scripts; where one forbids the launch, the worktrees stay to be looked at.

        What a script may have begun to write is never removed by force.
        """
        equipment.workspace.worked = True

        def tell(body: Json) -> None:
            self.hearing.record(EventKind.SCRIPT, body)
            self.flush()

        environment = equipment.environment.variables
        begun = equipment.workspace.begun(asked)
        ready = await set_up(self.parts.scripts, begun, environment, tell)
        if failed(ready):
            equipment.workspace.keep()
        return ready

    async def _watch(self, asked: wire.Create, equipment: Equipment) -> PushWatch:
        """From before the agent runs; after each credential that it is given."""
        variables = equipment.environment.variables
        pushes = await push_watch.begin(
            asked,
            self.parts.git,
            variables,
            self.hearing.record,
            self.flush,
            self.parts.clock.now,
        )
        if equipment.sockets is not None:
            equipment.sockets.after_giving(pushes.look)
        return pushes

    async def _start(
        self, asked: wire.Create, equipment: Equipment, life: Life
    ) -> Result[Conversation, RuntimeProblem]:
        life.ends_with(self.process.end)
        started = await self.process.start(
            self.parts.processes, asked.command, equipment, self.on_stdout
        )
        if failed(started):
            return started
        self._write_record()
        identity = self.process.identity
        if identity is not None:
            equipment.tools.admit(*identity)
        if equipment.sockets is not None and identity is not None:
            equipment.sockets.admit(*identity)
        conversation = await self.parts.converse(
            self.transport, self.permissions, self.terminals, self.files, self.parts.bounds
        )
        life.ends_with(conversation.close)
        return Success(conversation)

    async def _explained(self, problem: RuntimeProblem) -> RuntimeProblem:
        """A failed greeting with what the agent left on stderr, and how it ended if it did."""
        if self.hearing.broken_by is not None:
            problem = RuntimeProblem(RuntimeCode.PROTOCOL, self.hearing.broken_by)
        await self.process.end()
        detail = problem.detail
        if problem.code is RuntimeCode.AGENT_DIED:
            detail = f"{detail}: {(await self.process.demise()).detail}"
        return RuntimeProblem(problem.code, detail, self.process.stderr)

    def _shown(self, created: wire.Created) -> wire.Created:
        if created.lost_context is None:
            return created
        lost = self._redacted(created.lost_context)
        return msgspec.structs.replace(created, lost_context=lost)

    def _redacted(self, text: str) -> str:
        return self.parts.redactor.redact(text, Surface.EVIDENCE).text

    def _write_record(self) -> None:
        handle, ours = self.handle, self.parts.identity
        agent = self.process.identity
        known = Record(handle.execution, handle.task, handle.session, ours, agent)
        record.write(self.directory, known)
