"""The protocol for one client whose messages come and go one by one, each a line of JSON."""

import json
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Final, Self

from mcp.server.lowlevel.server import NotificationOptions
from mcp.shared.message import SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from adapters.mcp.backend import Backend
from adapters.mcp.following import stand
from adapters.mcp.server import make_server
from adapters.mcp.toolbox import INSIDE
from domain.principal import Principal
from domain.tool_bounds import MAX_MESSAGE_BYTES
from ports.tools import Say

__all__ = ("serve",)

INVALID: Final = ErrorData(code=INVALID_REQUEST, message="That is no message of the protocol.")
TOO_LARGE: Final = ErrorData(
    code=INTERNAL_ERROR,
    message="answer_too_large: the answer is larger than a message may be. Ask for less.",
)


async def serve(
    backend: Backend, principal: Principal, heard: AsyncIterator[bytes], say: Say
) -> None:
    """Serve until `heard` ends. Nothing is kept in between: each side waits for the other."""
    server = make_server(backend, INSIDE, lambda _: principal)
    stand(server, backend, principal)
    changing = NotificationOptions(prompts_changed=True, resources_changed=True)
    options = server.create_initialization_options(changing)
    await server.run(_Hearing(heard, say), _Saying(say), options)


class _Stream:
    """What the library asks of a stream; nothing has to be closed."""

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class _Hearing(_Stream):
    def __init__(self, heard: AsyncIterator[bytes], say: Say) -> None:
        self._heard = heard
        self._say = say

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        """The next message; what is none is answered here."""
        while True:
            line = await anext(self._heard)
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError:
                await self._say(written(JSONRPCError(jsonrpc="2.0", id=id_of(line), error=INVALID)))
            else:
                return SessionMessage(message)

    async def receive(self) -> SessionMessage:
        return await anext(self)


class _Saying(_Stream):
    def __init__(self, say: Say) -> None:
        self._say = say

    async def send(self, item: SessionMessage, /) -> None:
        if isinstance(item.message, JSONRPCError) and item.message.error.code == CONNECTION_CLOSED:
            # Who carries the lines ends the calls under way, as when nobody is left to do it.
            return
        line = written(item.message)
        if len(line) > MAX_MESSAGE_BYTES and isinstance(item.message, JSONRPCResponse):
            line = written(JSONRPCError(jsonrpc="2.0", id=item.message.id, error=TOO_LARGE))
        await self._say(line)


def written(message: JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()


def id_of(line: bytes) -> int | str | None:
    """What the sender waits for an answer to, as far as that can be told."""
    try:
        message: Any = json.loads(line)
    except ValueError:
        return None
    named = message.get("id") if isinstance(message, dict) else None
    return named if isinstance(named, int | str) and not isinstance(named, bool) else None
