"""An instance's socket for tools: a line of MCP from a client goes to the control plane, and back.

Nothing is kept in between: a line is read when the one before it was taken, and a client that does
not read slows its server. When the control plane goes away, every call that waits is answered with
an error, and the next one goes to the control plane that comes.
"""

import asyncio
import secrets
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Final, Protocol

import msgspec
import structlog

from adapters.agentctl.server.descent import Families
from adapters.agentctl.server.dialogue import INVALID_REQUEST, Dialogue, error
from adapters.agentctl.server.peers import peer_of
from adapters.agentctl.wire import ToolLine
from domain.identity import ExecutionId
from domain.outcome import failed
from domain.tool_bounds import MAX_CONNECTIONS, MAX_MESSAGE_BYTES

__all__ = ("Carrier", "Listener", "ToolSocket")

_AWAY: Final = (
    "control_plane_away: Kandev went away during the call, which may have been made."
    " Look before you repeat it."
)
_ABSENT: Final = "control_plane_absent: Kandev does not answer. The call was not made; try again."

log = structlog.get_logger()


class Listener(Protocol):
    """What hears of a connection at agentctl's end of the relay."""

    def heard(self, message: bytes, taken: Callable[[], None]) -> None:
        """A message for the client; `taken` is called once it has it."""
        ...

    def lost(self) -> None:
        """Whoever served the client is gone."""
        ...


class Carrier(Protocol):
    """Carries lines to the control plane and back."""

    def listening(self, connection: str, listener: Listener) -> AbstractContextManager[None]:
        """Lines of the connection go to the listener inside the block."""
        ...

    async def tell(self, execution: ExecutionId, line: ToolLine) -> bool:
        """Pass a line on, once; whether it was taken."""
        ...

    def leave(self, execution: ExecutionId, connection: str) -> None:
        """Say that the client has gone."""
        ...


_NO_CLIENTS: Final[frozenset["asyncio.Task[None]"]] = frozenset()


class ToolSocket:
    """Serves one instance from `start` to `close`."""

    __slots__ = ("_carrier", "_clients", "_execution", "_families", "_server")

    def __init__(self, execution: ExecutionId, families: Families, carrier: Carrier) -> None:
        self._execution = execution
        self._families = families
        self._carrier = carrier
        self._server: asyncio.Server | None = None
        self._clients = _NO_CLIENTS

    async def start(self, listener: socket.socket) -> None:
        """Serve on `listener`, which is closed with this socket."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(self._reader, sock=listener)

    async def close(self) -> None:
        """Stop listening and let every client go."""
        if self._server is not None:
            self._server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _reader(self) -> asyncio.StreamReaderProtocol:
        reader = asyncio.StreamReader(limit=MAX_MESSAGE_BYTES)
        return asyncio.StreamReaderProtocol(reader, self._serve)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a connection is served by a task"
        self._clients |= {task}
        try:
            with suppress(asyncio.CancelledError):
                if self._admits(writer):
                    await _Client(self._execution, self._carrier, reader, writer).serve()
        finally:
            self._clients -= {task}
            writer.close()

    def _admits(self, writer: asyncio.StreamWriter) -> bool:
        told = peer_of(writer, self._families, self._execution)
        if failed(told):
            foreign = told.failure()
            log.warning(
                "tools_asked_from_outside",
                execution=self._execution,
                pid=foreign.pid,
                uid=foreign.user,
            )
            return False
        if len(self._clients) > MAX_CONNECTIONS:
            log.warning("too_many_tool_clients", execution=self._execution)
            return False
        return True


class _Client:
    """One client, for as long as it stays."""

    def __init__(
        self,
        execution: ExecutionId,
        carrier: Carrier,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._execution = execution
        self._carrier = carrier
        self._reader = reader
        self._writer = writer
        self._name = secrets.token_hex(8)
        self._dialogue = Dialogue()
        self._forgotten = False
        self._out: asyncio.Queue[tuple[bytes, Callable[[], None]]] = asyncio.Queue()

    async def serve(self) -> None:
        """Until the client goes."""
        with self._carrier.listening(self._name, self):
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = {
                        group.create_task(self._say_all()),
                        group.create_task(self._hear_all()),
                    }
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    for task in tasks:
                        task.cancel()
            finally:
                self._carrier.leave(self._execution, self._name)

    def heard(self, message: bytes, taken: Callable[[], None]) -> None:
        self._out.put_nowait((message, taken))

    def lost(self) -> None:
        self._forgotten = True
        self._end_calls(_AWAY)

    async def _hear_all(self) -> None:
        """Until the client ends its side; one that says too much at once is let go."""
        with suppress(OSError, asyncio.IncompleteReadError):
            try:
                while True:
                    line = (await self._reader.readuntil(b"\n")).strip()
                    if line:
                        await self._hear(line)
            except asyncio.LimitOverrunError:
                text = f"A message has at most {MAX_MESSAGE_BYTES} bytes."
                self._writer.write(error(None, INVALID_REQUEST, text) + b"\n")

    async def _hear(self, line: bytes) -> None:
        refusal = self._dialogue.hear(line)
        if refusal is not None:
            said = asyncio.Event()
            self._out.put_nowait((refusal, said.set))
            await said.wait()
            return
        if self._forgotten:
            self._forgotten = False
            for each in self._dialogue.again():
                await self._tell(each)
        if not await self._tell(line):
            self._end_calls(_ABSENT)

    async def _tell(self, line: bytes) -> bool:
        return await self._carrier.tell(self._execution, ToolLine(self._name, msgspec.Raw(line)))

    async def _say_all(self) -> None:
        """The first that cannot be written is the last."""
        with suppress(OSError):
            while True:
                message, taken = await self._out.get()
                if self._dialogue.say(message):
                    self._writer.write(message + b"\n")
                    await self._writer.drain()
                taken()

    def _end_calls(self, text: str) -> None:
        for each in self._dialogue.unanswered(text):
            self._out.put_nowait((each, _nobody))


def _nobody() -> None:
    """Nobody waits for it."""
