"""An instance's socket for git: it answers `git credential-cache`, and nothing is kept behind it.

A question that fits none of the instance's leases is answered `quit=1` when its host is one of
ours, and so is every failure: git then asks no other helper, no askpass and no terminal. Who asked
is told by the kernel (unix(7), SO_PEERCRED).
"""

import asyncio
import hashlib
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

import structlog

from adapters.agentctl.wire import CredentialAnswer, CredentialAsk, Lease
from domain import git_credential, refusal_loop
from domain.execution import Handle
from domain.git_credential import QUIT, Action, Request
from domain.outcome import failed
from domain.refusal_loop import Trail
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.redactor import Redactor

__all__ = ("ANSWER_SECONDS", "MAX_QUESTIONS", "READ_SECONDS", "Ask", "GitSocket", "Lineage")

READ_SECONDS: Final = 10.0
"""From the connection to the end of the question."""
ANSWER_SECONDS: Final = 40.0
"""A redemption, with a restart of the control plane waited for."""
MAX_QUESTIONS: Final = 64
"""Questions of one instance under way at once; more wait to be accepted."""

_CHUNK = 65_536
_MAX_GENERATIONS = 64
_CREDENTIALS = struct.Struct("3i")

Ask = Callable[[str, CredentialAsk], Awaitable[CredentialAnswer | None]]
"""Asks the control plane on behalf of an execution; None when it refuses or cannot be reached."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Lineage:
    """Who may ask: processes that descend from the agent or, before it runs, from agentctl.

    `process_of` gives a process's parent and start time, zeros once it has ended.
    """

    ancestor: int
    started: int
    process_of: Callable[[int], tuple[int, int]]

    def verdict(self, pid: int) -> bool | None:
        """Whether `pid` descends from the ancestor; None when that cannot be told."""
        for _ in range(_MAX_GENERATIONS):
            parent, started = self.process_of(pid)
            if pid == self.ancestor:
                return started == self.started
            if parent <= 1:
                # Its parents have ended, so it hangs below init: it may be one of ours.
                return None
            pid = parent
        return None


@dataclass(slots=True)
class GitSocket:
    """Serves one instance, from `start` to `close`."""

    handle: Handle
    listener: socket.socket
    lineage: Lineage
    ask: Ask
    redactor: Redactor
    _leases: dict[RepositoryIdentity, Lease] = field(default_factory=dict, repr=False)
    _trails: dict[bytes, Trail] = field(default_factory=dict, repr=False)
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, repr=False)
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_QUESTIONS))

    async def start(self, leases: Sequence[Lease]) -> None:
        self._leases = {RepositoryIdentity(each.host, each.path): each for each in leases}
        for lease in leases:
            self.redactor.register(Secret(lease.token))
            self.redactor.register(Secret(lease.capability))
        self._server = await asyncio.start_unix_server(self._serve, sock=self.listener)

    async def close(self) -> None:
        """Stop listening, give up every question, forget the leases."""
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._leases.clear()
        self._trails.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a connection is served by a task"
        self._tasks.add(task)
        try:
            async with self._places:
                await self._answer(reader, writer)
        except (OSError, TimeoutError, asyncio.CancelledError):
            # The peer left, was too slow, or the instance ends: git reads an end without an answer.
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._is_ours(writer.get_extra_info("socket")):
            writer.write(QUIT)
            await writer.drain()
            return
        async with asyncio.timeout(READ_SECONDS):
            data = await _read_all(reader)
        parsed = git_credential.parse(data)
        if failed(parsed):
            log.warning("git_question_malformed", fault=parsed.failure().fault.value)
            writer.write(QUIT)
        else:
            async with asyncio.timeout(ANSWER_SECONDS):
                writer.write(await self._reply(parsed.unwrap()))
        await writer.drain()

    def _is_ours(self, peer: socket.socket) -> bool:
        raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        pid, uid, _ = _CREDENTIALS.unpack(raw)
        verdict = self.lineage.verdict(pid)
        if uid != os.getuid() or verdict is False:
            log.warning("git_question_from_outside", pid=pid, uid=uid)
            return False
        return True

    async def _reply(self, request: Request) -> bytes:
        if request.action is Action.ERASE:
            self._note_refusal(request)
            return b""
        matched = git_credential.match(request, self._leases.keys())
        if failed(matched):
            log.info("git_question_out_of_scope", mismatch=matched.failure().mismatch.value)
            return QUIT
        identity = matched.unwrap()
        lease = self._leases[identity]
        given = await self.ask(
            self.handle.execution,
            CredentialAsk("get", lease.host, lease.path, lease.token, lease.capability),
        )
        if given is None:
            return QUIT
        return self._say(request, identity, given)

    def _say(
        self, request: Request, identity: RepositoryIdentity, given: CredentialAnswer
    ) -> bytes:
        password = Secret(given.password)
        self.redactor.register(password)
        if given.lease is not None:
            self.redactor.register(Secret(given.lease))
            self._replace(identity, given.lease)
        self._trails, loops = refusal_loop.asked(self._trails, _name(password), monotonic())
        if loops:
            log.warning("git_refusal_loop", repository=identity.path)
            return QUIT
        said = git_credential.answer(request, given.username, password, given.expires)
        return QUIT if failed(said) else said.unwrap()

    def _replace(self, identity: RepositoryIdentity, token: str) -> None:
        """A lease that was issued anew; the question that it answers may have been overtaken."""
        old = self._leases.get(identity)
        if old is not None:
            self._leases[identity] = Lease(
                old.repository, old.host, old.path, token, old.capability
            )

    def _note_refusal(self, request: Request) -> None:
        """An `erase` proves nothing by itself; it counts towards a loop."""
        if request.password is not None:
            name = _name(request.password)
            self._trails = refusal_loop.refused(self._trails, name, monotonic())


async def _read_all(reader: asyncio.StreamReader) -> bytes:
    """The question, to its end; what is over the bound is not read, and no question."""
    parts: list[bytes] = []
    size = 0
    while size <= git_credential.MAX_REQUEST_BYTES:
        part = await reader.read(_CHUNK)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _name(secret: Secret) -> bytes:
    return hashlib.sha256(secret.reveal().encode("utf-8", "surrogateescape")).digest()
