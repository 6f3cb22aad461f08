"""The ends of a child's pipes that we hold, on any event loop."""

import asyncio
import os
from collections.abc import Callable
from io import FileIO
from typing import cast

from typing_extensions import override

__all__ = ("Input", "Output")

_READ_SIZE = 262_144
_PIPE_SIZE = 1_048_576
"""The most that an unprivileged pipe holds (pipe(7), `pipe-max-size`)."""


class Output(asyncio.Protocol):
    """An output of a child: its bytes in order, then `b""` once, when it ended or was given up."""

    __slots__ = ("_deliver", "_finished", "_pipe", "_transport", "ended", "paused")

    def __init__(
        self, pipe: FileIO, deliver: Callable[[bytes], None], finished: Callable[[], None]
    ) -> None:
        self._pipe = pipe
        self._deliver = deliver
        self._finished = finished
        self._transport: asyncio.ReadTransport | None = None
        self.ended = False
        self.paused = False

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.ReadTransport", transport)

    @override
    def data_received(self, data: bytes) -> None:
        if not self.ended:
            self._deliver(data)

    @override
    def eof_received(self) -> None:
        self._end()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._end()

    def pause(self) -> None:
        if self._transport is not None and not self.ended:
            self.paused = True
            self._transport.pause_reading()

    def resume(self) -> None:
        if self._transport is not None and not self.ended:
            self.paused = False
            self._transport.resume_reading()

    def give_up(self) -> None:
        """Deliver what the pipe holds now, also while paused, and read no more."""
        if self.ended or self._transport is None:
            return
        self._drain()
        self._end()
        self._transport.close()

    def _drain(self) -> None:
        taken = 0
        while taken < _PIPE_SIZE:
            try:
                data = os.read(self._pipe.fileno(), _READ_SIZE)
            except BlockingIOError:
                return
            if not data:
                return
            taken += len(data)
            self._deliver(data)

    def _end(self) -> None:
        if not self.ended:
            self.ended = True
            self._deliver(b"")
            self._finished()


class Input(asyncio.BaseProtocol):
    """The standard input of a child."""

    __slots__ = ("_closed", "_room", "_transport")

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None
        self._room: asyncio.Future[None] | None = None
        self._closed = False

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    @override
    def pause_writing(self) -> None:
        self._room = asyncio.get_running_loop().create_future()

    @override
    def resume_writing(self) -> None:
        self._let_writers_go()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        self._let_writers_go()

    async def write(self, data: bytes) -> None:
        if self._closed or self._transport is None:
            raise BrokenPipeError
        self._transport.write(data)
        if self._room is not None:
            await asyncio.shield(self._room)
            if self._closed:
                raise BrokenPipeError

    def close(self) -> None:
        """Close it once what was written has been taken."""
        self._closed = True
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close it now: nobody reads it any more."""
        self._closed = True
        transport = self._transport
        # A transport that is on its way out must not be aborted again: asyncio ends it twice.
        if transport is not None and (
            not transport.is_closing() or transport.get_write_buffer_size()
        ):
            transport.abort()

    def _let_writers_go(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)
