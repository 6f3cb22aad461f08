"""One viewer's way to a terminal: a WebSocket to agentctl for as long as somebody looks."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Final
from urllib.parse import quote

from typing_extensions import override
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from adapters.agentctl.instance_call import Present, named, path_of
from domain.execution import Handle
from domain.outcome import failed
from ports.beside import TerminalLink

__all__ = ("dialled",)

_OPEN_SECONDS: Final = 10.0
_CLOSE_SECONDS: Final = 2.0

_GONE: Final = 1011
"""The code where nobody said why."""


@asynccontextmanager
async def dialled(keeper: Present, handle: Handle, terminal: str) -> AsyncGenerator[TerminalLink]:
    """Look at a terminal as long as the context lasts. Raises `ConnectionError`."""
    connection = keeper.present()
    if connection is None:
        raise ConnectionError("no agentctl runs")
    session = await connection.session()
    if failed(session):
        raise ConnectionError(session.failure().detail)
    path = f"{path_of(handle)}/terminals/{quote(terminal, safe='')}/stream"
    try:
        async with unix_connect(
            connection.socket,
            uri=f"ws://agentctl{path}",
            additional_headers={**named(handle), "Authorization": f"Bearer {session.unwrap()}"},
            compression=None,
            open_timeout=_OPEN_SECONDS,
            close_timeout=_CLOSE_SECONDS,
            # Both ends are on this machine: the kernel tells at once that one has gone.
            ping_interval=None,
        ) as socket:
            yield _Link(socket)
    except (OSError, InvalidHandshake, InvalidMessage) as problem:
        raise ConnectionError("agentctl does not answer") from problem


class _Link(TerminalLink):
    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    @property
    @override
    def code(self) -> int:
        return self._socket.close_code or _GONE

    @override
    async def receive(self) -> bytes | str | None:
        try:
            return await self._socket.recv()
        except ConnectionClosed:
            return None

    @override
    async def send(self, said: bytes | str) -> None:
        with suppress(ConnectionClosed):
            await self._socket.send(said)
