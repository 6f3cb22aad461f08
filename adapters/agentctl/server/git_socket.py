"""An instance's socket for git: it answers `git credential-cache`, and nothing is kept behind it.

A question that fits none of the instance's leases is answered `quit=1`, and so is every failure:
git then asks no other helper, no askpass and no terminal. Who asked is told by the kernel (unix(7),
SO_PEERCRED) and goes along with the question.
"""

import asyncio
import hashlib
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import msgspec
import structlog

from adapters.agentctl.server.descent import Families
from adapters.agentctl.server.peers import peer_of
from adapters.agentctl.wire import CredentialAnswer, CredentialAsk, Lease
from domain import git_credential, refusal_loop
from domain.broker_bounds import BrokerBounds
from domain.git_credential import QUIT, Action, Request
from domain.identity import ExecutionId
from domain.outcome import failed
from domain.peer import Peer
from domain.refusal_loop import Trail
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.redactor import Redactor

__all__ = ("Ask", "GitSocket", "Surroundings")

Ask = Callable[[ExecutionId, CredentialAsk], Awaitable[CredentialAnswer | None]]
"""Asks the control plane on behalf of an execution; None when it refuses or cannot be reached."""

_CHUNK: Final = 65_536

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the sockets of all instances share. `monotonic` is in seconds."""

    ask: Ask
    families: Families
    redactor: Redactor
    monotonic: Callable[[], float]
    bounds: BrokerBounds = field(default_factory=BrokerBounds)


async def _nothing(_: float) -> None:
    """Nobody wants to know."""


class GitSocket:
    """Serves one instance from `start` to `close`.

    Calls `after_giving` when git has a credential, with the seconds since it asked.
    """

    def __init__(self, execution: ExecutionId, around: Surroundings) -> None:
        self.after_giving: Callable[[float], Awaitable[None]] = _nothing
        self._execution = execution
        self._around = around
        self._leases: dict[RepositoryIdentity, Lease] = {}
        self._trails: dict[bytes, Trail] = {}
        self._server: asyncio.Server | None = None
        self._questions: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(around.bounds.questions)

    async def start(self, listener: socket.socket, leases: Sequence[Lease]) -> None:
        """Answer on `listener`, which is closed with this socket."""
        for lease in leases:
            self._around.redactor.register(Secret(lease.token))
            self._around.redactor.register(Secret(lease.capability))
            self._leases[RepositoryIdentity(lease.host, lease.path)] = lease
        self._server = await asyncio.start_unix_server(self._serve, sock=listener)

    async def close(self) -> None:
        """Stop listening, give up every question, forget the leases."""
        if self._server is not None:
            self._server.close()
        for question in self._questions:
            question.cancel()
        await asyncio.gather(*self._questions, return_exceptions=True)
        self._leases.clear()
        self._trails.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a connection is served by a task"
        self._questions.add(task)
        begun = self._around.monotonic()
        try:
            # Without an answer git reads an end, and its next helper is the one that says quit.
            with suppress(OSError, TimeoutError, asyncio.CancelledError):
                async with self._places:
                    answer = await self._answer(reader, writer)
                    writer.write(answer)
                    await writer.drain()
                writer.close()
                if answer not in {QUIT, b""}:
                    await self.after_giving(self._around.monotonic() - begun)
        finally:
            self._questions.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        async with asyncio.timeout(self._around.bounds.question):
            data = await _read_all(reader)
        told = peer_of(writer, self._around.families, self._execution)
        if failed(told):
            foreign = told.failure()
            log.warning(
                "git_question_from_outside",
                execution=self._execution,
                pid=foreign.pid,
                uid=foreign.user,
            )
            return QUIT
        peer = told.unwrap()
        parsed = git_credential.parse(data)
        if failed(parsed):
            fault = parsed.failure().fault.value
            log.warning("git_question_malformed", execution=self._execution, fault=fault)
            return QUIT
        request = parsed.unwrap()
        if request.action is Action.ERASE:
            self._note_refusal(request)
            return b""
        return await self._redeem(request, peer)

    async def _redeem(self, request: Request, peer: Peer) -> bytes:
        matched = git_credential.match(request, self._leases.keys())
        if failed(matched):
            mismatch = matched.failure().mismatch.value
            log.info("git_question_out_of_scope", execution=self._execution, mismatch=mismatch)
            return QUIT
        identity = matched.unwrap()
        lease = self._leases[identity]
        asked = CredentialAsk(
            operation="get",
            host=lease.host,
            path=lease.path,
            lease=lease.token,
            capability=lease.capability,
            pid=peer.pid,
            descent=peer.descent.value,
        )
        given = await self._around.ask(self._execution, asked)
        return QUIT if given is None else self._say(request, identity, given)

    def _say(
        self, request: Request, identity: RepositoryIdentity, given: CredentialAnswer
    ) -> bytes:
        password = Secret(given.password)
        self._around.redactor.register(password)
        if given.lease is not None:
            self._replace(identity, given.lease)
        now = self._around.monotonic()
        self._trails, loops = refusal_loop.asked(self._trails, _name(password), now)
        if loops:
            log.warning("git_refusal_loop", execution=self._execution, repository=identity.path)
            return QUIT
        said = git_credential.answer(request, given.username, password, given.expires)
        return QUIT if failed(said) else said.unwrap()

    def _replace(self, identity: RepositoryIdentity, token: str) -> None:
        """Hold a lease that was issued anew, unless the instance ended meanwhile."""
        self._around.redactor.register(Secret(token))
        held = self._leases.get(identity)
        if held is not None:
            self._leases[identity] = msgspec.structs.replace(held, token=token)

    def _note_refusal(self, request: Request) -> None:
        """An `erase` proves nothing by itself; it counts towards a loop."""
        if request.password is not None:
            now = self._around.monotonic()
            self._trails = refusal_loop.refused(self._trails, _name(request.password), now)


async def _read_all(reader: asyncio.StreamReader) -> bytes:
    """The question, to its end; of one over the bound, just enough to see that it is."""
    data = bytearray()
    while len(data) <= git_credential.MAX_REQUEST_BYTES:
        part = await reader.read(_CHUNK)
        if not part:
            break
        data += part
    return bytes(data)


def _name(secret: Secret) -> bytes:
    return hashlib.sha256(secret.reveal().encode("utf-8", "surrogateescape")).digest()
