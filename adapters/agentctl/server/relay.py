"""agentctl's end of the relay: it asks the control plane on behalf of an execution.

One control plane holds the relay at a time, the one with the highest epoch. A question waits,
within its deadline, through a restart of the control plane, and is then asked again: what is asked
here may be asked twice.
"""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import structlog
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect, WebSocketException

from adapters.agentctl.wire import CredentialAnswer, CredentialAsk, Frame
from domain.identity import ExecutionId
from domain.secret import Secret
from ports.redactor import Redactor

__all__ = ("RESTART_SECONDS", "Relay")

RESTART_SECONDS: Final = 30.0
"""How long a question waits for a control plane to come, or to come back."""
_SUPERSEDED = 4409
_encoder = msgspec.json.Encoder()
_frame = msgspec.json.Decoder(Frame)
_answer = msgspec.json.Decoder(CredentialAnswer)
_values = msgspec.json.Decoder(list[str])

log = structlog.get_logger()


class _Lost(Exception):  # noqa: N818 -- an outcome of one attempt
    """The connection ended before the answer came."""


@dataclass(slots=True, eq=False)
class _Holder:
    """One connection of a control plane."""

    socket: WebSocket[Any, Any, Any]
    epoch: int
    waiting: dict[str, asyncio.Future[Frame]] = field(default_factory=dict)
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def send(self, frame: Frame) -> None:
        async with self.sending:
            await self.socket.send_data(_encoder.encode(frame), mode="binary")

    def lose(self) -> None:
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(_Lost())
        self.waiting.clear()


class Relay:
    """Shared by all instances of one agentctl."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._holder: _Holder | None = None
        self._came = asyncio.Condition()
        self._places = asyncio.Semaphore(256)
        self._highest = -1

    async def hold(self, socket: WebSocket[Any, Any, Any], epoch: int) -> None:
        """Serve one connection until it closes; a higher epoch takes over, a lower is refused."""
        await socket.accept()
        if epoch < self._highest:
            await socket.close(code=_SUPERSEDED, reason="a later control plane holds the relay")
            return
        holder = _Holder(socket, epoch)
        await self._take_over(holder)
        try:
            while True:
                self._receive(holder, await socket.receive_bytes())
        except (WebSocketDisconnect, WebSocketException, msgspec.DecodeError):
            pass
        finally:
            holder.lose()
            if self._holder is holder:
                self._holder = None

    async def ask(
        self, kind: str, execution: ExecutionId, body: bytes, seconds: float = RESTART_SECONDS
    ) -> Frame | None:
        """The frame that answers; None when no control plane answered within `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._places:
                while True:
                    holder = await self._someone()
                    with suppress(_Lost, WebSocketException):
                        return await self._ask(holder, kind, execution, body)
                    holder.lose()
                    if self._holder is holder:
                        self._holder = None
        log.warning("relay_unanswered", kind=kind, execution=execution)
        return None

    async def credential(self, execution: str, asked: CredentialAsk) -> CredentialAnswer | None:
        """Have a lease redeemed; None when it is refused, or nobody answers."""
        frame = await self.ask("credential", ExecutionId(execution), _encoder.encode(asked))
        if frame is None or frame.kind != "answer":
            return None
        with suppress(msgspec.DecodeError):
            return _answer.decode(frame.body)
        return None

    async def _take_over(self, holder: _Holder) -> None:
        earlier, self._holder, self._highest = self._holder, holder, holder.epoch
        async with self._came:
            self._came.notify_all()
        if earlier is not None:
            earlier.lose()
            with suppress(WebSocketException, RuntimeError):
                await earlier.socket.close(code=_SUPERSEDED, reason="a later control plane came")

    async def _someone(self) -> _Holder:
        async with self._came:
            await self._came.wait_for(lambda: self._holder is not None)
        assert self._holder is not None, "waited for just now, on this loop"
        return self._holder

    async def _ask(self, holder: _Holder, kind: str, execution: ExecutionId, body: bytes) -> Frame:
        frame = Frame(secrets.token_hex(8), kind, execution, msgspec.Raw(body))
        future: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        holder.waiting[frame.id] = future
        try:
            await holder.send(frame)
            return await future
        except asyncio.CancelledError:
            with suppress(WebSocketException):
                await holder.send(Frame(frame.id, "cancel", execution))
            raise
        finally:
            holder.waiting.pop(frame.id, None)

    def _receive(self, holder: _Holder, data: bytes) -> None:
        frame = _frame.decode(data)
        if frame.kind == "register":
            self._register(_values.decode(frame.body))
            return
        future = holder.waiting.get(frame.id)
        if future is not None and not future.done():
            future.set_result(frame)

    def _register(self, values: Sequence[str]) -> None:
        for value in values:
            self._redactor.register(Secret(value))
