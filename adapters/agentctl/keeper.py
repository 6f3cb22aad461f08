"""Keeps the one agentctl of this machine: found again after a restart, started when needed.

Its key is sealed in the store before anything is asked of it. Whoever starts first is the one that
everybody gets; a process that does not prove that it knows the key is not spoken to.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
from typing_extensions import override

from adapters.agentctl import process, process_stat
from adapters.agentctl.connection import AgentctlConnection
from adapters.agentctl.process import Started, StartFailed
from adapters.agentctl.proof import KEY_BYTES
from adapters.agentctl.relay_client import RelayClient
from adapters.agentctl.runtime import Keeper
from adapters.agentctl.wire import PROTOCOL
from domain.ambient_credentials import inherited
from domain.outcome import Failure, Result, Success, failed
from domain.secret import Secret
from ports.agentctl_record import AgentctlRecord
from ports.ids import Ids
from ports.runtime import RuntimeCode, RuntimeProblem
from ports.store import Store
from ports.vault import AGENTCTL_KEY, Vault

__all__ = ("AgentctlKeeper", "Launching")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Launching:
    """How agentctl is started: its command, the environment it inherits, and its log file."""

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    owned: bool


@dataclass(slots=True)
class _Kept:
    record: AgentctlRecord
    connection: AgentctlConnection
    relay: asyncio.Task[None]
    started: Started | None


class AgentctlKeeper(Keeper):
    """Inside `async with`; leaving ends an agentctl that is owned, and lets go of any other."""

    def __init__(
        self, store: Store, vault: Vault, ids: Ids, relay: RelayClient, launching: Launching
    ) -> None:
        self._store = store
        self._vault = vault
        self._ids = ids
        self._relay = relay
        self._launching = launching
        self._kept: _Kept | None = None
        self._silent: AgentctlRecord | None = None
        self._over = False
        self._flight = asyncio.Lock()
        self._group: asyncio.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = await asyncio.TaskGroup().__aenter__()
        await self._find()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._kept is not None and self._kept.started is not None and self._launching.owned:
            await self.end()
        await self._forget()
        group, self._group = self._group, None
        if group is not None:
            await group.__aexit__(None, None, None)

    @override
    def present(self) -> AgentctlConnection | None:
        return self._kept.connection if self._kept else None

    @override
    async def ensure(self) -> Result[AgentctlConnection, RuntimeProblem]:
        async with self._flight:
            if self._over:
                return Failure(RuntimeProblem(RuntimeCode.UNREACHABLE, "Kandev is ending"))
            if self._kept is not None and not self.gone():
                return Success(self._kept.connection)
            await self._forget()
            found = await self._find() if not self.gone() else None
            return found or await self._start()

    def gone(self) -> bool:
        """Whether no agentctl runs that is known here."""
        if self._kept is None:
            silent = self._silent
            return silent is None or not process_stat.is_running(silent.pid, silent.started)
        if self._kept.started is not None:
            self._kept.started.process.poll()
        return not process_stat.is_running(self._kept.record.pid, self._kept.record.started)

    async def end(self) -> None:
        """End agentctl, and with it every agent; from then on none is started."""
        self._over = True
        async with self._flight:
            kept = self._kept
            if kept is None:
                return
            child = kept.started.process if kept.started else None
            await process.end(kept.record.pid, kept.record.started, child)
            await self._forget()

    async def _find(self) -> Result[AgentctlConnection, RuntimeProblem] | None:
        """Attach to the agentctl that the store remembers; None when another may take its place.

        One that is that process and does not answer may stand still, with the agents that it has:
        it is asked again as long as it runs.
        """
        self._silent = None
        async with self._store.read() as state:
            record = await state.agentctl()
        if record is None or not process_stat.is_running(record.pid, record.started):
            return None
        key = self._vault.open(AGENTCTL_KEY, record.sealed_key)
        if failed(key):
            log.warning("agentctl_key_unreadable", pid=record.pid)
            return None
        attached = await self._attach(record, bytes.fromhex(key.unwrap().reveal()), None)
        if failed(attached):
            log.warning("agentctl_not_attached", code=attached.failure().code.value)
            if attached.failure().code is not RuntimeCode.UNREACHABLE:
                return None
            self._silent = record
        return attached

    async def _start(self) -> Result[AgentctlConnection, RuntimeProblem]:
        key = self._ids.random(KEY_BYTES)
        launching = self._launching
        try:
            started = await process.start(
                launching.command,
                inherited(launching.environment),
                key,
                launching.log,
                owned=launching.owned,
            )
        except (StartFailed, OSError) as error:
            return Failure(RuntimeProblem(RuntimeCode.UNREACHABLE, str(error)))
        told = started.announced
        try:
            sealed = self._vault.seal(AGENTCTL_KEY, Secret(key.hex()))
            record = AgentctlRecord(told.socket, told.pid, told.started, sealed)
            async with self._store.write() as unit:
                await unit.put_agentctl(record)
            return await self._attach(record, key, started)
        finally:
            if self._kept is None:
                await process.end(told.pid, told.started, started.process)
                started.release()

    async def _attach(
        self, record: AgentctlRecord, key: bytes, started: Started | None
    ) -> Result[AgentctlConnection, RuntimeProblem]:
        connection = AgentctlConnection(record.socket, key, self._ids.random)
        health = await connection.health()
        if failed(health):
            await connection.close()
            return health
        if health.unwrap().protocol != PROTOCOL:
            await connection.close()
            detail = f"agentctl speaks version {health.unwrap().protocol}, not {PROTOCOL}"
            return Failure(RuntimeProblem(RuntimeCode.MISMATCH, detail))
        session = await connection.session()
        if failed(session):
            await connection.close()
            return session
        async with self._store.write() as unit:
            epoch = await unit.next_epoch()
        assert self._group is not None, "entered before"
        relay = self._group.create_task(
            self._relay.run(record.socket, bearer_of(connection), epoch)
        )
        self._kept = _Kept(record, connection, relay, started)
        return Success(connection)

    async def _forget(self) -> None:
        """Let go of what is kept, without ending it."""
        kept, self._kept = self._kept, None
        if kept is None:
            return
        kept.relay.cancel()
        with suppress(asyncio.CancelledError):
            await kept.relay
        await kept.connection.close()
        if kept.started is not None:
            kept.started.release()


def bearer_of(connection: AgentctlConnection) -> Callable[[], Awaitable[str]]:
    """Gives the session of a connection, for the relay to show."""

    async def bearer() -> str:
        session = await connection.session()
        if failed(session):
            raise ConnectionError("agentctl does not answer")
        return session.unwrap()

    return bearer
