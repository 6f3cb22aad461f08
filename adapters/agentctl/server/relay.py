"""agentctl's end of the relay: it asks the control plane on behalf of an execution.

One control plane holds the relay at a time, the one with the highest epoch. A question waits,
within its bound, through a restart of the control plane, and is then asked again: what is asked
here may be asked twice. What is told on behalf of a client of tools is told once.
"""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec
import structlog
from litestar import WebSocket
from litestar.exceptions import WebSocketException

from adapters.agentctl.server.tool_socket import Listener
from adapters.agentctl.wire import (
    SUPERSEDED,
    AskRefused,
    CredentialAnswer,
    CredentialAsk,
    Frame,
    ToolLine,
)
from domain.broker_bounds import BrokerBounds
from domain.identity import ExecutionId
from domain.lease import Refusal
from domain.outcome import Failure, Result, Success, failed
from domain.secret import Secret
from ports.redactor import Redactor

__all__ = ("AskProblem", "Relay", "Unanswered")

_encode: Final = msgspec.json.Encoder().encode
_frame: Final = msgspec.json.Decoder(Frame)
_answer: Final = msgspec.json.Decoder(CredentialAnswer)
_refused: Final = msgspec.json.Decoder(AskRefused)
_values: Final = msgspec.json.Decoder(list[str])
_line: Final = msgspec.json.Decoder(ToolLine)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No control plane answered in time, or it answered nonsense."""


AskProblem: TypeAlias = AskRefused | Unanswered


class _LostError(Exception):
    """The connection ended before the answer came."""


@dataclass(slots=True, eq=False)
class _Holder:
    """One connection of a control plane, and the questions that it was asked."""

    outbox: asyncio.Queue[Frame] = field(default_factory=asyncio.Queue)
    waiting: dict[str, asyncio.Future[Frame]] = field(default_factory=dict)
    superseded: asyncio.Event = field(default_factory=asyncio.Event)

    def lose(self) -> None:
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(_LostError())
        self.waiting.clear()


class Relay:
    """Shared by all instances of one agentctl."""

    def __init__(self, redactor: Redactor, bounds: BrokerBounds | None = None) -> None:
        self._redactor = redactor
        self._bounds = bounds or BrokerBounds()
        self._holder: _Holder | None = None
        self._held = asyncio.Event()
        self._places = asyncio.Semaphore(self._bounds.in_flight)
        self._highest = -1
        self._listeners: dict[str, Listener] = {}

    async def hold(self, socket: WebSocket[Any, Any, Any], epoch: int) -> None:
        """Serve one connection until it closes. An epoch below the highest is refused.

        Whoever comes with that epoch or a higher one takes over.
        """
        await socket.accept()
        if epoch < self._highest:
            await self._close(socket)
            return
        holder = self._take_over(epoch)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = {
                    group.create_task(_send_all(socket, holder.outbox)),
                    group.create_task(self._receive_all(socket, holder)),
                    group.create_task(_wait(holder.superseded)),
                }
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    task.cancel()
        finally:
            self._let_go(holder)
        if holder.superseded.is_set():
            await self._close(socket)

    async def ask(
        self, kind: str, execution: ExecutionId, body: bytes
    ) -> Result[msgspec.Raw, AskProblem]:
        """The body of the answer. When the caller gives up, so does the control plane."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._bounds.restart), self._places:
                while True:
                    holder = await self._someone()
                    with suppress(_LostError):
                        return _read(await self._ask(holder, kind, execution, body))
        return Failure(Unanswered())

    async def credential(
        self, execution: ExecutionId, asked: CredentialAsk
    ) -> CredentialAnswer | None:
        """Have a lease redeemed; None when it is refused, or nobody answers."""
        answered = await self.ask("credential", execution, _encode(asked))
        if failed(answered):
            problem = answered.failure()
            code = problem.code if isinstance(problem, AskRefused) else Refusal.UNAVAILABLE.value
            log.warning("credential_refused", execution=execution, code=code)
            return None
        with suppress(msgspec.DecodeError):
            return _answer.decode(answered.unwrap())
        return None

    @contextmanager
    def listening(self, connection: str, listener: Listener) -> Iterator[None]:
        self._listeners[connection] = listener
        try:
            yield
        finally:
            del self._listeners[connection]

    async def tell(self, execution: ExecutionId, line: ToolLine) -> bool:
        """Pass a line on; what was under way when the connection ended is not told again."""
        with suppress(TimeoutError, _LostError):
            async with asyncio.timeout(self._bounds.restart), self._places:
                holder = await self._someone()
                answer = await self._ask(holder, "mcp", execution, _encode(line))
                return answer.kind == "answer"
        return False

    def leave(self, execution: ExecutionId, connection: str) -> None:
        if self._holder is not None:
            body = msgspec.Raw(_encode(ToolLine(connection)))
            frame = Frame(secrets.token_hex(8), "mcp", execution, body)
            self._holder.outbox.put_nowait(frame)

    def _take_over(self, epoch: int) -> _Holder:
        earlier, holder = self._holder, _Holder()
        self._holder, self._highest = holder, epoch
        self._held.set()
        if earlier is not None:
            earlier.superseded.set()
            self._lose(earlier)
        return holder

    def _let_go(self, holder: _Holder) -> None:
        if self._holder is holder:
            self._holder = None
            self._held.clear()
            self._lose(holder)

    def _lose(self, holder: _Holder) -> None:
        holder.lose()
        for listener in self._listeners.values():
            listener.lost()

    async def _someone(self) -> _Holder:
        while self._holder is None:
            await self._held.wait()
        return self._holder

    async def _ask(self, holder: _Holder, kind: str, execution: ExecutionId, body: bytes) -> Frame:
        frame = Frame(secrets.token_hex(8), kind, execution, msgspec.Raw(body))
        future: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        holder.waiting[frame.id] = future
        holder.outbox.put_nowait(frame)
        try:
            return await future
        except asyncio.CancelledError:
            holder.outbox.put_nowait(Frame(frame.id, "cancel", execution))
            raise
        finally:
            holder.waiting.pop(frame.id, None)

    async def _receive_all(self, socket: WebSocket[Any, Any, Any], holder: _Holder) -> None:
        """Until the connection ends; nonsense ends it."""
        with suppress(WebSocketException, msgspec.DecodeError, OSError):
            while True:
                frame = _frame.decode(await socket.receive_data(mode="binary"))
                if frame.kind == "register":
                    self._register(_values.decode(frame.body))
                    continue
                if frame.kind == "mcp":
                    self._pass_on(holder, frame)
                    continue
                future = holder.waiting.get(frame.id)
                if future is not None and not future.done():
                    future.set_result(frame)

    def _register(self, values: Sequence[str]) -> None:
        for value in values:
            self._redactor.register(Secret(value))

    def _pass_on(self, holder: _Holder, frame: Frame) -> None:
        """Give a line to its client; the answer follows when that has taken it, or has gone."""
        line = _line.decode(frame.body)
        taken = partial(holder.outbox.put_nowait, Frame(frame.id, "answer", frame.execution))
        listener = self._listeners.get(line.connection)
        if listener is not None and not line.ends:
            listener.heard(bytes(line.message), taken)
            return
        if listener is not None:
            listener.lost()
        taken()

    async def _close(self, socket: WebSocket[Any, Any, Any]) -> None:
        with suppress(WebSocketException, OSError, TimeoutError):
            async with asyncio.timeout(self._bounds.close):
                await socket.close(code=SUPERSEDED, reason="a later control plane came")


async def _send_all(socket: WebSocket[Any, Any, Any], outbox: asyncio.Queue[Frame]) -> None:
    with suppress(WebSocketException, OSError):
        while True:
            await socket.send_data(_encode(await outbox.get()), mode="binary")


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


def _read(frame: Frame) -> Result[msgspec.Raw, AskProblem]:
    if frame.kind == "answer":
        return Success(frame.body)
    with suppress(msgspec.DecodeError):
        return Failure(_refused.decode(frame.body))
    return Failure(Unanswered())
