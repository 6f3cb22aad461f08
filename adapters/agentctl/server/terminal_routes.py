"""The routes of terminals. Each viewer has a WebSocket, on which bytes are typed and shown."""

import asyncio
from contextlib import aclosing, suppress
from typing import Any, Final

import msgspec
from litestar import WebSocket, delete, get, post, websocket
from litestar.di import NamedDependency
from litestar.exceptions import WebSocketException
from litestar.params import FromPath, JSONBody

from adapters.agentctl import beside_wire
from adapters.agentctl.server.refusals import RefusedError, granted
from adapters.agentctl.server.routes import Core, Session, Task
from adapters.agentctl.server.terminals import Lost, OpenTerminal, Shown
from domain.outcome import failed
from domain.terminal import MAX_INPUT_BYTES, SessionTerminal, check_size

__all__ = ("TERMINAL_ROUTES",)

_encode: Final = msgspec.json.Encoder().encode
_resize: Final = msgspec.json.Decoder(beside_wire.Resize)


@post("/api/v1/instances/{execution:str}/terminals", status_code=201)
async def open_terminal(
    execution: FromPath[str],
    task: Task,
    session: Session,
    data: JSONBody[beside_wire.Size],
    core: NamedDependency[Core],
) -> SessionTerminal:
    beside = granted(core.find(execution, task, session).beside())
    return granted(await beside.open(data.columns, data.rows))


@get("/api/v1/instances/{execution:str}/terminals")
async def terminals(
    execution: FromPath[str], task: Task, session: Session, core: NamedDependency[Core]
) -> list[SessionTerminal]:
    return list(granted(core.find(execution, task, session).beside()).terminals.all())


@delete("/api/v1/instances/{execution:str}/terminals/{terminal_id:str}")
async def end_terminal(
    execution: FromPath[str],
    terminal_id: FromPath[str],
    task: Task,
    session: Session,
    core: NamedDependency[Core],
) -> None:
    beside = granted(core.find(execution, task, session).beside())
    granted(await beside.terminals.end(terminal_id))


@websocket("/api/v1/instances/{execution:str}/terminals/{terminal_id:str}/stream")
async def stream_terminal(
    socket: WebSocket[Any, Any, Any],
    execution: FromPath[str],
    terminal_id: FromPath[str],
    task: Task,
    session: Session,
    core: NamedDependency[Core],
) -> None:
    await socket.accept()
    try:
        beside = granted(core.find(execution, task, session).beside())
        terminal = granted(beside.terminals.find(terminal_id))
    except RefusedError as refused:
        await socket.close(beside_wire.NO_TERMINAL, refused.problem.code.value)
        return
    if terminal.crowded:
        await socket.close(beside_wire.CROWDED, "too many look at it already")
        return
    code = 1000
    async with asyncio.TaskGroup() as group:
        showing = group.create_task(_show(socket, terminal))
        typing = group.create_task(_type(socket, terminal))
        await asyncio.wait({showing, typing}, return_when=asyncio.FIRST_COMPLETED)
        if typing.done():
            code = typing.result()
        showing.cancel()
        typing.cancel()
    with suppress(WebSocketException, OSError):
        await socket.close(code)


async def _show(socket: WebSocket[Any, Any, Any], terminal: OpenTerminal) -> None:
    with suppress(WebSocketException, OSError):
        async with aclosing(terminal.look()) as looking:
            async for shown in looking:
                await _send(socket, shown)


async def _send(socket: WebSocket[Any, Any, Any], shown: Shown) -> None:
    if isinstance(shown, bytes):
        await socket.send_data(shown, mode="binary")
    elif isinstance(shown, Lost):
        await socket.send_data(_encode(beside_wire.Lost(shown.size)), mode="text")
    else:
        await socket.send_data(_encode(beside_wire.Ended(shown.status, shown.signal)), mode="text")


async def _type(socket: WebSocket[Any, Any, Any], terminal: OpenTerminal) -> int:
    """Until the viewer leaves, or says what means nothing; the code to close with."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return 1000
        typed, said = message.get("bytes"), message.get("text")
        if isinstance(typed, bytes):
            if len(typed) > MAX_INPUT_BYTES:
                return beside_wire.MALFORMED
            await terminal.type(typed)
        elif not isinstance(said, str) or not _resized(terminal, said):
            return beside_wire.MALFORMED


def _resized(terminal: OpenTerminal, said: str) -> bool:
    try:
        wanted = _resize.decode(said)
    except msgspec.DecodeError:
        return False
    size = check_size(wanted.columns, wanted.rows)
    if failed(size):
        return False
    terminal.resize(size.unwrap())
    return True


TERMINAL_ROUTES: Final = (open_terminal, terminals, end_terminal, stream_terminal)
