"""The control plane's end of what agents ask of Kandev's tools: a server for each of their clients.

It lives as long as the connection of the relay. A line is answered when the server took it, so that
the next one of that client comes no sooner.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, Self

import msgspec
import structlog

from adapters.agentctl.wire import AskRefused, Frame, ToolLine
from domain.identity import ExecutionId
from domain.lease import Refusal
from ports.tools import ToolDoor

__all__ = ("ToolStreams",)

_encode: Final = msgspec.json.Encoder().encode
_line: Final = msgspec.json.Decoder(ToolLine)

log = structlog.get_logger()


class _Line(NamedTuple):
    message: bytes
    taken: "asyncio.Future[None]"


class _Stream:
    """The lines of one client; who asks for the next has taken the one before."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[_Line] = asyncio.Queue()
        self._given: _Line | None = None
        self._over = False
        self.task: asyncio.Task[None] | None = None

    async def put(self, message: bytes) -> None:
        """Returns when the message was taken, or when nobody takes any more."""
        if not self._over:
            line = _Line(message, asyncio.get_running_loop().create_future())
            self._lines.put_nowait(line)
            await line.taken

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        self._settle()
        self._given = await self._lines.get()
        return self._given.message

    def end(self) -> None:
        self._over = True
        self._settle()
        while not self._lines.empty():
            self._given = self._lines.get_nowait()
            self._settle()

    def _settle(self) -> None:
        if self._given is not None:
            settle(self._given.taken)


class ToolStreams:
    """For one connection of the relay, in its task group; `close` ends every server."""

    def __init__(
        self,
        door: ToolDoor,
        created: Callable[[ExecutionId], Awaitable[bool]],
        send: Callable[[Frame], Awaitable[None]],
        group: asyncio.TaskGroup,
    ) -> None:
        self._door = door
        self._created = created
        self._send = send
        self._group = group
        self._streams: dict[str, _Stream] = {}
        self._waiting: dict[str, asyncio.Future[None]] = {}

    async def take(self, frame: Frame) -> Frame:
        """Hand a line to its server, which starts with the first; the answer to the frame."""
        execution = ExecutionId(frame.execution)
        try:
            line = _line.decode(frame.body)
        except msgspec.DecodeError:
            return _refused(frame, Refusal.INVALID)
        if line.ends:
            self._end(line.connection)
        elif line.connection in self._streams:
            await self._streams[line.connection].put(bytes(line.message))
        elif await self._created(execution):
            await self._open(execution, line.connection).put(bytes(line.message))
        else:
            return _refused(frame, Refusal.DENIED)
        return Frame(frame.id, "answer", frame.execution)

    def taken(self, frame: Frame) -> None:
        """The client has the line that this answers."""
        waiting = self._waiting.get(frame.id)
        if waiting is not None:
            settle(waiting)

    def close(self) -> None:
        for connection in list(self._streams):
            self._end(connection)

    def _open(self, execution: ExecutionId, connection: str) -> _Stream:
        stream = self._streams[connection] = _Stream()
        stream.task = self._group.create_task(self._run(execution, connection, stream))
        return stream

    def _end(self, connection: str) -> None:
        stream = self._streams.pop(connection, None)
        if stream is not None and stream.task is not None:
            stream.task.cancel()

    async def _run(self, execution: ExecutionId, connection: str, stream: _Stream) -> None:
        async def say(message: bytes) -> None:
            await self._say(execution, ToolLine(connection, msgspec.Raw(message)))

        try:
            await self._door.serve(execution, stream, say)
        except Exception:
            # One client whose server fails must not end the relay for all; the log has why.
            log.exception("tools_failed", execution=execution)
        finally:
            stream.end()
        self._streams.pop(connection, None)
        await self._say(execution, ToolLine(connection))

    async def _say(self, execution: ExecutionId, line: ToolLine) -> None:
        name = secrets.token_hex(8)
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[name] = taken
        try:
            await self._send(Frame(name, "mcp", execution, msgspec.Raw(_encode(line))))
            await taken
        finally:
            del self._waiting[name]


def settle(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def _refused(frame: Frame, code: Refusal) -> Frame:
    return Frame(frame.id, "refused", frame.execution, msgspec.Raw(_encode(AskRefused(code.value))))
