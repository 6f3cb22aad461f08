"""The control plane's end of the relay: it answers what agentctl asks for its executions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import msgspec
import structlog
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from adapters.agentctl.tool_streams import ToolStreams
from adapters.agentctl.wire import SUPERSEDED, AskRefused, CredentialAnswer, CredentialAsk, Frame
from domain.broker_bounds import MAX_FRAME_BYTES, BrokerBounds
from domain.identity import ExecutionId
from domain.lease import Refusal
from domain.outcome import failed
from domain.peer import Descent, Peer
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.credentials import CredentialRequest, Credentials, GitCredential
from ports.tools import ToolDoor

__all__ = ("RelayClient",)

FIRST_WAIT_SECONDS: Final = 0.05
LONGEST_WAIT_SECONDS: Final = 2.0
"""Between attempts to connect again; each is twice the one before."""

_OPEN_SECONDS: Final = 10.0
_DESCENTS: Final = {each.value: each for each in Descent}
_encode: Final = msgspec.json.Encoder().encode
_frames: Final = msgspec.json.Decoder(Frame)
_asks: Final = msgspec.json.Decoder(CredentialAsk)

log = structlog.get_logger()


class RelayClient:
    """Keeps one connection open while `run` runs; its owner cancels it.

    `known` are the secrets that agentctl is told to redact, `created` whether an execution is one
    of this control plane's: no other is answered. `tools` serves what agents ask of our tools.
    """

    def __init__(
        self,
        credentials: Credentials,
        known: Callable[[], Awaitable[Sequence[Secret]]],
        created: Callable[[ExecutionId], Awaitable[bool]],
        tools: ToolDoor,
    ) -> None:
        self._credentials = credentials
        self._known = known
        self._created = created
        self._tools = tools
        self._bounds = BrokerBounds()

    async def run(self, socket: str, bearer: Callable[[], Awaitable[str]], epoch: int) -> None:
        """Serve the relay of the agentctl at `socket`, until a later control plane takes over.

        `bearer` gives the session to show, before each connection; it may raise `OSError`.
        """
        wait = FIRST_WAIT_SECONDS
        while True:
            with suppress(OSError, InvalidHandshake, InvalidMessage, ConnectionClosed):
                async with unix_connect(
                    socket,
                    uri=f"ws://agentctl/api/v1/relay?epoch={epoch}",
                    additional_headers={"Authorization": f"Bearer {await bearer()}"},
                    max_size=MAX_FRAME_BYTES,
                    compression=None,
                    open_timeout=_OPEN_SECONDS,
                    close_timeout=self._bounds.close,
                    # Both ends are on this machine: the kernel tells at once that one has gone.
                    ping_interval=None,
                ) as connection:
                    wait = FIRST_WAIT_SECONDS
                    await self._serve(connection)
                if connection.close_code == SUPERSEDED:
                    log.warning("relay_superseded", epoch=epoch)
                    return
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    async def _serve(self, connection: ClientConnection) -> None:
        values = [each.reveal() for each in await self._known()]
        register = Frame("register", "register", "", msgspec.Raw(_encode(values)))
        await connection.send(_encode(register))
        answering: dict[str, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as group:
            streams = ToolStreams(self._tools, self._created, partial(_send, connection), group)
            async for frame in _frames_of(connection):
                if frame.kind == "answer":
                    streams.taken(frame)
                elif frame.kind == "cancel":
                    given_up = answering.get(frame.id)
                    if given_up is not None:
                        given_up.cancel()
                elif len(answering) >= self._bounds.in_flight:
                    await _send(connection, _refused(frame, Refusal.LIMITED))
                elif frame.id not in answering:
                    task = group.create_task(self._answer(connection, frame, streams))
                    answering[frame.id] = task
                    task.add_done_callback(partial(_forget, answering, frame.id))
            streams.close()
            for task in answering.values():
                task.cancel()

    async def _answer(
        self, connection: ClientConnection, frame: Frame, streams: ToolStreams
    ) -> None:
        try:
            answer = await (streams.take(frame) if frame.kind == "mcp" else self._redeem(frame))
        except Exception:
            # One question that fails must not end the relay for all; the log has why.
            log.exception("relay_failed", execution=frame.execution)
            answer = _refused(frame, Refusal.UNAVAILABLE)
        await _send(connection, answer)

    async def _redeem(self, frame: Frame) -> Frame:
        execution = ExecutionId(frame.execution)
        if frame.kind != "credential" or not await self._created(execution):
            return _refused(frame, Refusal.DENIED)
        try:
            ask = _asks.decode(frame.body)
        except msgspec.DecodeError:
            return _refused(frame, Refusal.INVALID)
        redeemed = await self._credentials(_request(execution, ask))
        if failed(redeemed):
            code = redeemed.failure().code
            log.info("credential_refused", execution=execution, code=code.value)
            return _refused(frame, code)
        return _given(frame, redeemed.unwrap())


async def _frames_of(connection: ClientConnection) -> AsyncIterator[Frame]:
    """What agentctl asks, until the connection ends, however it does; nonsense ends it too."""
    with suppress(ConnectionClosed, msgspec.DecodeError):
        async for data in connection:
            yield _frames.decode(data)


def _forget(answering: dict[str, asyncio.Task[None]], name: str, _: asyncio.Task[None]) -> None:
    answering.pop(name, None)


async def _send(connection: ClientConnection, frame: Frame) -> None:
    """An answer that cannot be sent any more is asked for again, on the next connection."""
    with suppress(ConnectionClosed):
        await connection.send(_encode(frame))


def _request(execution: ExecutionId, ask: CredentialAsk) -> CredentialRequest:
    return CredentialRequest(
        execution=execution,
        identity=RepositoryIdentity(ask.host, ask.path),
        token=Secret(ask.lease),
        capability=Secret(ask.capability) if ask.capability else None,
        operation=ask.operation,
        peer=Peer(ask.pid, _DESCENTS.get(ask.descent, Descent.UNKNOWN)),
    )


def _given(frame: Frame, given: GitCredential) -> Frame:
    lease = given.lease.reveal() if given.lease else None
    body = CredentialAnswer(given.username, given.password.reveal(), given.expires, lease)
    return Frame(frame.id, "answer", frame.execution, msgspec.Raw(_encode(body)))


def _refused(frame: Frame, code: Refusal) -> Frame:
    body = msgspec.Raw(_encode(AskRefused(code.value)))
    return Frame(frame.id, "refused", frame.execution, body)
