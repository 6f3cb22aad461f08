"""The control plane's end of the relay: it answers what agentctl asks for its executions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import msgspec
import structlog
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from adapters.agentctl.wire import (
    CredentialAnswer,
    CredentialAsk,
    Frame,
)
from domain.identity import ExecutionId
from domain.lease import LeaseRefusal, Refusal
from domain.outcome import failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.credentials import CredentialRequest, Credentials

__all__ = ("RelayClient",)

FIRST_WAIT_SECONDS: Final = 0.05
LONGEST_WAIT_SECONDS: Final = 2.0
"""Between attempts to connect again; each is twice the one before."""

_encoder = msgspec.json.Encoder()
_frames = msgspec.json.Decoder(Frame)
_asks = msgspec.json.Decoder(CredentialAsk)

log = structlog.get_logger()


class RelayClient:
    """Keeps one connection open while `run` runs; its owner cancels it."""

    def __init__(
        self,
        credentials: Credentials,
        known: Callable[[], Awaitable[Sequence[Secret]]],
        created: Callable[[ExecutionId], Awaitable[bool]],
    ) -> None:
        self._credentials = credentials
        self._known = known
        self._created = created

    async def run(self, socket: str, bearer: Callable[[], Awaitable[str]], epoch: int) -> None:
        """Serve the relay of the agentctl at `socket`, until a later control plane takes over.

        `bearer` gives the session to show; it is asked before each connection.
        """
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                async with unix_connect(
                    socket,
                    uri=f"ws://agentctl/api/v1/relay?epoch={epoch}",
                    additional_headers={"Authorization": f"Bearer {await bearer()}"},
                    max_size=4 * 1024 * 1024,
                    open_timeout=10,
                    close_timeout=1,
                ) as connection:
                    wait = FIRST_WAIT_SECONDS
                    await self._serve(connection)
                if connection.close_code == 4409:
                    log.warning("relay_superseded", epoch=epoch)
                    return
            except (OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
                pass
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    async def _serve(self, connection: ClientConnection) -> None:
        values = [each.reveal() for each in await self._known()]
        register = Frame("register", "register", "", msgspec.Raw(_encoder.encode(values)))
        await connection.send(_encoder.encode(register))
        answering: dict[str, asyncio.Task[None]] = {}
        places = asyncio.Semaphore(256)
        async with asyncio.TaskGroup() as group:
            async for frame in _frames_of(connection):
                if frame.kind == "cancel":
                    task = answering.pop(frame.id, None)
                    if task is not None:
                        task.cancel()
                    continue
                task = group.create_task(self._answer(connection, frame, places))
                answering[frame.id] = task
                task.add_done_callback(partial(_forget, answering, frame.id))
            for task in list(answering.values()):
                task.cancel()

    async def _answer(
        self, connection: ClientConnection, frame: Frame, places: asyncio.Semaphore
    ) -> None:
        async with places:
            try:
                answer = await self._redeem(frame)
            except Exception:
                log.exception("relay_failed", execution=frame.execution)
                answer = _refused(frame, Refusal.UNAVAILABLE)
            with suppress(ConnectionClosed):
                await connection.send(_encoder.encode(answer))

    async def _redeem(self, frame: Frame) -> Frame:
        execution = ExecutionId(frame.execution)
        if frame.kind != "credential" or not await self._created(execution):
            return _refused(frame, Refusal.DENIED)
        try:
            ask = _asks.decode(frame.body)
        except msgspec.DecodeError:
            return _refused(frame, Refusal.INVALID)
        redeemed = await self._credentials(
            CredentialRequest(
                execution=execution,
                identity=RepositoryIdentity(ask.host, ask.path),
                token=Secret(ask.lease),
                capability=Secret(ask.capability) if ask.capability else None,
                operation=ask.operation,
            )
        )
        if failed(redeemed):
            refusal: LeaseRefusal = redeemed.failure()
            log.info("credential_refused", execution=execution, code=refusal.code.value)
            return _refused(frame, refusal.code)
        given = redeemed.unwrap()
        body = CredentialAnswer(
            given.username,
            given.password.reveal(),
            given.expires,
            given.lease.reveal() if given.lease else None,
        )
        return Frame(frame.id, "answer", frame.execution, msgspec.Raw(_encoder.encode(body)))


async def _frames_of(connection: ClientConnection) -> AsyncIterator[Frame]:
    """What agentctl asks, until the connection ends, however it does; nonsense ends it too."""
    with suppress(ConnectionClosed, msgspec.DecodeError):
        async for data in connection:
            yield _frames.decode(data)


def _forget(answering: dict[str, asyncio.Task[None]], name: str, _: asyncio.Task[None]) -> None:
    answering.pop(name, None)


def _refused(frame: Frame, code: Refusal) -> Frame:
    body = msgspec.Raw(_encoder.encode({"code": code.value}))
    return Frame(frame.id, "refused", frame.execution, body)
