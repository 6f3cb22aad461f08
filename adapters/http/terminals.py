"""Routes of a session's terminals. Each viewer has a WebSocket, on which bytes are typed and shown.

The door has let the viewer in: a page of another origin is refused there as for every request.
"""

import asyncio
from contextlib import suppress
from typing import Any, Final

import msgspec
from litestar import Controller, WebSocket, delete, get, post, websocket
from litestar.di import NamedDependency
from litestar.exceptions import WebSocketException
from litestar.params import FromPath, JSONBody, SkipValidation

from adapters.http.api import Api
from adapters.http.door import PRINCIPAL
from adapters.http.problems import accepted
from domain.identity import SessionId
from domain.outcome import failed
from domain.principal import Principal
from domain.terminal import SessionTerminal, TerminalSize
from ports.beside import TerminalLink

__all__ = ("Terminals", "stream_terminal")

ABSENT: Final = 4404
"""The code that a stream is closed with where there is no such session, agent or terminal."""

UNREACHABLE: Final = 1011
"""Where agentctl is not there."""


class NewTerminal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    columns: int = TerminalSize().columns
    rows: int = TerminalSize().rows


class Terminals(Controller):
    path = "/api/v1/sessions/{session_id:str}/terminals"
    tags = ("sessions",)

    @post()
    async def open(
        self,
        session_id: FromPath[str],
        data: JSONBody[NewTerminal],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SessionTerminal:
        """Open a terminal where the agent works, in its environment; it ends with the agent."""
        session = SessionId(session_id)
        return accepted(await api.terminals.open(principal, session, data.columns, data.rows))

    @get()
    async def list_all(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> list[SessionTerminal]:
        return list(accepted(await api.terminals.all(principal, SessionId(session_id))))

    @delete("/{terminal_id:str}")
    async def end(
        self,
        session_id: FromPath[str],
        terminal_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        """Hang up, and end whatever runs on it."""
        accepted(await api.terminals.end(principal, SessionId(session_id), terminal_id))


@websocket("/api/v1/sessions/{session_id:str}/terminals/{terminal_id:str}/stream")
async def stream_terminal(
    socket: WebSocket[Any, Any, Any],
    session_id: FromPath[str],
    terminal_id: FromPath[str],
    api: NamedDependency[Api],
) -> None:
    """Show one viewer the terminal, and type for it."""
    principal: Principal = socket.scope["state"][PRINCIPAL]
    await socket.accept()
    looked = await api.terminals.look(principal, SessionId(session_id), terminal_id)
    code = ABSENT
    if not failed(looked):
        try:
            async with looked.unwrap() as link:
                code = await _carry(socket, link)
        except ConnectionError:
            code = UNREACHABLE
    with suppress(WebSocketException, OSError):
        await socket.close(code)


async def _carry(socket: WebSocket[Any, Any, Any], link: TerminalLink) -> int:
    """Both ways, until one side closes; the code of the other side."""
    async with asyncio.TaskGroup() as group:
        showing = group.create_task(_show(socket, link))
        typing = group.create_task(_type(socket, link))
        await asyncio.wait({showing, typing}, return_when=asyncio.FIRST_COMPLETED)
        showing.cancel()
        typing.cancel()
    return 1000 if showing.cancelled() else link.code


async def _show(socket: WebSocket[Any, Any, Any], link: TerminalLink) -> None:
    with suppress(WebSocketException, OSError):
        while (shown := await link.receive()) is not None:
            await socket.send_data(shown, mode="binary" if isinstance(shown, bytes) else "text")


async def _type(socket: WebSocket[Any, Any, Any], link: TerminalLink) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        for said in (message.get("bytes"), message.get("text")):
            if isinstance(said, (bytes, str)):
                await link.send(said)
